import type { Draft } from './draft.js';

type Kind = 'caption' | 'hashtags';

/** A saved caption goes where the cursor was; of saved hashtags those that are not there yet are added. */
export function insertSnippet(draft: Draft, kind: Kind, text: string, snippet: string): void {
  const field = document.getElementById(`field-${kind}`);
  if (!(field instanceof HTMLTextAreaElement)) return;
  const [before, after] =
    kind === 'caption' ? [text.slice(0, field.selectionStart), text.slice(field.selectionEnd)] : [text, ''];
  const inserted = joined(before, kind === 'caption' ? snippet : missing(text, snippet), after);
  draft.set(kind, inserted.text);
  field.focus();
  const { cursor } = inserted;
  // When the field has the new text.
  requestAnimationFrame(() => field.setSelectionRange(cursor, cursor));
}

/** With a space on either side where there is none, and where the cursor is then: behind what was inserted. */
export function joined(before: string, inserted: string, after: string): { text: string; cursor: number } {
  if (inserted === '') return { text: `${before}${after}`, cursor: before.length };
  const start = before === '' || /\s$/.test(before) ? before : `${before} `;
  const end = after === '' || /^\s/.test(after) || /\s$/.test(inserted) ? after : ` ${after}`;
  return { text: `${start}${inserted}${end}`, cursor: start.length + inserted.length };
}

function missing(text: string, snippet: string): string {
  const known = new Set(text.toLowerCase().split(/[\s,]+/));
  return snippet
    .split(/[\s,]+/)
    .filter((tag) => !known.has(tag.toLowerCase()))
    .join(' ');
}
