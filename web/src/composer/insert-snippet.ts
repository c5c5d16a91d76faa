import type { Draft } from './draft.js';

type Kind = 'caption' | 'hashtags';

/** A saved caption goes where the cursor was; of saved hashtags those that are not there yet are added. */
export function insertSnippet(draft: Draft, kind: Kind, text: string, snippet: string): void {
  const field = document.getElementById(`field-${kind}`);
  if (!(field instanceof HTMLTextAreaElement)) return;
  const before = kind === 'caption' ? text.slice(0, field.selectionStart) : text;
  const after = kind === 'caption' ? text.slice(field.selectionEnd) : '';
  const inserted = kind === 'caption' ? snippet : missing(text, snippet);
  const start = before === '' || /\s$/.test(before) || inserted === '' ? before : `${before} `;
  draft.set(kind, `${start}${inserted}${after}`);
  field.focus();
  const cursor = start.length + inserted.length;
  // When the field has the new text.
  requestAnimationFrame(() => field.setSelectionRange(cursor, cursor));
}

function missing(text: string, snippet: string): string {
  const known = new Set(text.toLowerCase().split(/[\s,]+/));
  return snippet
    .split(/[\s,]+/)
    .filter((tag) => !known.has(tag.toLowerCase()))
    .join(' ');
}
