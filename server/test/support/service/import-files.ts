// Files for tests of the import.
import assert from 'node:assert/strict';
import type { ImportResult } from '../../../src/posts/import/schema.js';
import type { Organization } from './harness.js';
import type { Answer } from './send.js';

export const IMPORT = '/api/v1/posts/import';

/** Every cell quoted, so that tests can write anything. */
export const csvOf = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`).join('');

/** A file with these columns, and a line for each entry. */
export function fileOf(lines: readonly Record<string, string>[]): string {
  const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))];
  return csvOf([columns, ...lines.map((line) => columns.map((name) => line[name] ?? ''))]);
}

export const importCsv = (
  org: Pick<Organization, 'call'>,
  csv: string,
  more: object = {},
  headers?: Record<string, string>,
): Promise<Answer> => org.call('POST', IMPORT, { csv, ...more }, headers);

export async function imported(
  org: Pick<Organization, 'call'>,
  csv: string,
  more: object = {},
): Promise<ImportResult> {
  const answer = await importCsv(org, csv, more);
  assert.equal(answer.status, 200, answer.text.slice(0, 2000));
  return answer.json.data;
}

/** How many posts the organization has. */
export const countOf = async (org: Pick<Organization, 'call'>): Promise<number> =>
  (await org.call('GET', '/api/v1/posts?per_page=1')).json.pagination.total;

/** Drafts with text of the usual length. */
export const manyLines = (count: number, fields: (i: number) => Record<string, string> = () => ({})) =>
  Array.from({ length: count }, (_, i) => ({
    title: `Imported ${i}`,
    caption: `Number ${i} of many. ${'A few more words. '.repeat(10)}`,
    hashtags: '#maps #outdoors',
    ...fields(i),
  }));
