// CSV files that cost a reader most for their length. They are made to fit into a JSON body of so many bytes.
import { MAX_IMPORT } from '../../../src/posts/import/schema.js';

const HEADER =
  'title,post_type,caption,hashtags,media_urls,status,scheduled_at,account,social_account_id,privacy_level,publish_mode,disable_comment,disable_duet,disable_stitch,brand_content_toggle,brand_organic_toggle,labels,cover_index';

/** How often this fits, as JSON writes it. */
const fitting = (bytes: number, piece: string) =>
  Math.floor(bytes / (Buffer.byteLength(JSON.stringify(piece)) - 2));
const filled = (start: string, piece: string) => (bytes: number) =>
  start + piece.repeat(fitting(bytes, piece));
const names = (bytes: number) =>
  Array.from({ length: Math.ceil(bytes / 6) }, (_, n) => `c${n.toString(36)}`)
    .join()
    .slice(0, bytes);
/** Of lines that are read: there may be 10,000 of them. */
const lines = (header: string, line: string) => (bytes: number) =>
  `${header}\n${`${line}\n`.repeat(Math.min(9_999, fitting(bytes, `${line}\n`)))}`;

export const MAX_CSV = MAX_IMPORT - 1024;

interface HostileCsv {
  title: string;
  csv: (bytes: number) => string;
}

export const HOSTILE_CSV: readonly HostileCsv[] = [
  { title: 'column names', csv: names },
  { title: '269 KB of column names', csv: (bytes) => names(Math.min(bytes, 269 * 1024)) },
  { title: '2,000 unknown columns', csv: () => `${names(9_000)}\nx` },
  { title: '100 unknown columns', csv: () => `${names(9_000).split(',').slice(0, 100).join()}\nx` },
  { title: 'the same unknown column again and again', csv: filled('title', ',titel') },
  { title: 'one column with a long name', csv: filled('title,', 'x ') },
  { title: 'a header of commas', csv: filled('title', ',') },
  { title: 'a line of commas', csv: filled('title\nx', ',') },
  { title: 'blank lines', csv: filled('title\n', '\n') },
  { title: 'carriage returns', csv: filled('title\n', '\r') },
  { title: 'blank lines before the header', csv: filled('', '\n') },
  { title: 'empty rows', csv: filled('title,caption\n', ',""\n') },
  { title: 'rows of quoted nothing', csv: filled('title,caption\n', '"",""\n') },
  { title: 'a cell of quotation marks', csv: filled('title\n"', '""') },
  { title: 'a quotation mark that is never closed', csv: filled('title\n"', 'x') },
  { title: 'text after each closing quotation mark', csv: filled('title\n', '"a"b\n') },
  { title: 'lines of spaces', csv: filled('title\n', `${' '.repeat(500)}\n`) },
  { title: 'a cell of spaces', csv: filled('title,caption\nx,', ' ') },
  { title: 'cells of 60 KB', csv: filled('title,caption\n', `x,${'y'.repeat(60_000)}\n`) },
  { title: 'addresses in one cell', csv: filled('title,media_urls\nx,', 'https://a.co/b ') },
  { title: 'addresses in many cells', csv: lines('title,media_urls', `x,${'https://a.co/b '.repeat(35)}`) },
  {
    title: 'a thousand addresses in each cell',
    csv: lines('title,media_urls', `x,${'https://a.co '.repeat(1_000)}`),
  },
  { title: 'labels in one cell', csv: filled('title,labels\nx,', 'x;') },
  { title: 'empty labels in many cells', csv: lines('title,labels', `x,"${' ,'.repeat(900)}"`) },
  {
    title: 'local times that never come',
    csv: lines('title,status,scheduled_at', 'x,draft,2027-03-28 02:30'),
  },
  { title: 'lines of wrong cells', csv: lines(HEADER, '?,'.repeat(17)) },
  { title: 'apostrophes', csv: lines('title,caption', `'=x,${"'".repeat(2_000)}=`) },
  {
    title: 'captions that fold to four times their length',
    csv: lines('title,caption', `x,${'\u2057'.repeat(150)}`),
  },
  { title: 'captions of marks', csv: lines('title,caption', `x,${'\u0300\u0316'.repeat(1_000)}`) },
];
