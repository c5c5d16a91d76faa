// The author's texts in the platform's form. Lengths are UTF-16 code units, as JavaScript counts. Nothing is ever cut.
import type { Draft, Finding, PostText } from '../connector.js';

const VIDEO_CAPTION = 2200;
const PHOTO_DESCRIPTION = 4000;
const PHOTO_TITLE = 90;

/** Caption and hashtags with a blank line between them; empty if there is neither. */
export function joinCaption({ caption, hashtags }: Pick<PostText, 'caption' | 'hashtags'>): string {
  return [caption, hashtags]
    .map((part) => (part ?? '').trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The text fields of an init. A video draft for the inbox has none: the platform ignores them. */
export function textFields(draft: Draft): { title?: string; description?: string } {
  const text = joinCaption(draft);
  if (draft.type === 'video') return draft.mode === 'inbox' || text === '' ? {} : { title: text };
  const title = draft.title.trim();
  return {
    ...(title === '' || title.length > PHOTO_TITLE ? {} : { title }),
    ...(text === '' ? {} : { description: text }),
  };
}

export function textFindings(draft: Draft): Finding[] {
  const findings: Finding[] = [];
  const text = joinCaption(draft);
  const isVideo = draft.type === 'video';
  if (isVideo && draft.mode === 'inbox') {
    if (text !== '')
      findings.push({
        level: 'warning',
        code: 'text_not_sent',
        detail: 'A video goes to the inbox without text. Write the caption in the app when you post it.',
        field: 'caption',
      });
    return findings;
  }
  const most = isVideo ? VIDEO_CAPTION : PHOTO_DESCRIPTION;
  if (text.length > most)
    findings.push({
      level: 'error',
      code: 'caption_too_long',
      detail: `Caption and hashtags are ${text.length} characters together. Shorten them to ${most}.`,
      field: 'caption',
    });
  const { length } = draft.title.trim();
  if (!isVideo && length > PHOTO_TITLE)
    findings.push({
      level: 'warning',
      code: 'title_not_sent',
      detail: `The title is ${length} characters long, so it's left out. Shorten it to ${PHOTO_TITLE} to include it.`,
      field: 'title',
    });
  return findings;
}
