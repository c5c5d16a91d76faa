// What the import says, and the file that it offers as an example.
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
  const files = media > 0 ? ` ${count(media, 'file')} will be fetched from the web.` : '';
  const labels = new_labels.length > 0 ? ` New labels: ${quoted(new_labels)}.` : '';
  return `${postsOf(lines, drafts, scheduled)}.${files}${labels}`;
}

/** "6 drafts", or "6 posts: 2 drafts, 4 scheduled". */
function postsOf(lines: number, drafts: number, scheduled: number): string {
  if (scheduled === 0) return count(drafts, 'draft');
  if (drafts === 0) return `${count(lines, 'post')}, ${lines === 1 ? '' : 'all '}scheduled`;
  return `${count(lines, 'post')}: ${count(drafts, 'draft')}, ${number(scheduled)} scheduled`;
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

/** The API completes the name of a cell, or of its line: "must be one of slides, video". A URL is a subject of its own. */
export function sentenceOf(said: string, subject: string): string {
  const message = said.replace(FOR_THE_OPERATOR, '');
  const isBegun = !/^[a-z]/.test(message) || /^https?:/i.test(message);
  return `${isBegun ? '' : `${subject} `}${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}

/** Which setting would allow it: no one who imports a file can change that. */
const FOR_THE_OPERATOR = / unless the operator allows it \([A-Z_]+\)/;

/** What the cell of a column that the file does not have is called on the other screens. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  title: 'Title',
  account: 'Account',
  privacy_level: 'Who can see it',
  scheduled_at: 'Time',
  status: 'Status',
};

/** A column has the name that it has in the file. */
export const columnLabel = (column: string, isInFile: boolean): string =>
  isInFile ? column : (FIELD_NAMES[column] ?? column);

/** The same as docs/import-example.csv; a test compares them. */
const EXAMPLE = `title,post_type,caption,hashtags,media_urls,status,scheduled_at,account,privacy_level,labels
Five ways to fold a map,slides,Number four is how the rescue service does it.,#maps #outdoors,https://example.com/fold-1.jpg https://example.com/fold-2.jpg,draft,,,,
"Tents, tested",video,"Ten tents.
One storm.",#camping,https://example.com/tents.mp4,scheduled,2030-06-01 18:00,your.account,PUBLIC_TO_EVERYONE,
A note for later,,,,,,,,,
`;

/** The file that people begin with. It names an account of theirs, if there is one: then it can be imported as it is. */
export function exampleFor(accounts: readonly { username: string; status: string }[]): string {
  const usable = accounts.find(
    ({ username, status }) => status === 'connected' && /^[\w.-]+$/.test(username),
  );
  return EXAMPLE.replace('your.account', usable?.username ?? 'your.account');
}
