// What the import says.

export const times = (count: number, thing: string): string =>
  `${count.toLocaleString('en-GB')} ${thing}${count === 1 ? '' : 's'}`;

interface Found {
  lines: number;
  drafts: number;
  scheduled: number;
  media: number;
}

export function summaryOf({ lines, drafts, scheduled, media }: Found): string {
  const parts = [
    drafts > 0 ? times(drafts, 'draft') : '',
    scheduled > 0 ? `${scheduled.toLocaleString('en-GB')} scheduled` : '',
  ].filter((part) => part !== '');
  const files = media > 0 ? ` ${times(media, 'file')} will be fetched from the web.` : '';
  return `${times(lines, 'post')}: ${parts.join(', ')}.${files}`;
}

/** The API completes the name of a cell, or of its line: "must be one of slides, video". */
export const sentenceOf = (message: string, subject: string): string =>
  `${/^[a-z]/.test(message) ? `${subject} ` : ''}${message}${/[.!?]$/.test(message) ? '' : '.'}`;
