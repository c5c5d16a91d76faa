// What the import says.
import { count, number } from '../../text/numbers.js';
import { dayAndClock } from '../../text/time.js';

interface Found {
  lines: number;
  drafts: number;
  scheduled: number;
  media: number;
  new_labels: readonly string[];
}

export function summaryOf({ lines, drafts, scheduled, media, new_labels }: Found): string {
  const parts = [
    drafts > 0 ? count(drafts, 'draft') : '',
    scheduled > 0 ? `${number(scheduled)} scheduled` : '',
  ].filter((part) => part !== '');
  const files = media > 0 ? ` ${count(media, 'file')} will be fetched from the web.` : '';
  const labels = new_labels.length > 0 ? ` New labels: ${quoted(new_labels)}.` : '';
  return `${count(lines, 'post')}: ${parts.join(', ')}.${files}${labels}`;
}

const MAX_NAMED = 5;

/** “Maps”, “Water” and 3 more. */
export function quoted(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => `“${name}”`);
  const more = names.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${number(more)} more` : named.join(', ');
}

/** The API's forecast, as people tell the time. */
export const fetchingInfo = ({ files, done_by }: { files: number; done_by: string }, now: number): string =>
  `${count(files, 'file')} ${files === 1 ? 'is' : 'are'} being fetched from the web, probably until ${dayAndClock(done_by, now)}. Posts wait for their files. A file that can’t be fetched is listed in its post, which isn’t published until you remove or replace it.`;

/** The API completes the name of a cell, or of its line: "must be one of slides, video". */
export const sentenceOf = (message: string, subject: string): string =>
  `${/^[a-z]/.test(message) ? `${subject} ` : ''}${message}${/[.!?]$/.test(message) ? '' : '.'}`;
