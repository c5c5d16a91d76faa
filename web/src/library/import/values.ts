// The values of cells in the words that the dashboard shows. A person who reads "Everyone" there writes it into the file. Pure.
import { AUDIENCE_LEVELS, audienceOf } from '../../text/audiences.js';
import type { Table } from './csv.js';

const LABELS: Readonly<Record<string, string>> = {
  slides: 'Slides',
  video: 'Video',
  draft: 'Draft',
  scheduled: 'Scheduled',
  direct: 'Post directly',
  inbox: 'Send to inbox',
  true: 'Yes',
  false: 'No',
};

export const labelFor = (column: string | null, value: string): string =>
  column === 'privacy_level' ? audienceOf(value) : (LABELS[value] ?? value);

const YES_OR_NO = ['true', 'false'];

/** What the API reads in the columns with a fixed choice. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  post_type: ['slides', 'video'],
  status: ['draft', 'scheduled'],
  privacy_level: AUDIENCE_LEVELS,
  publish_mode: ['direct', 'inbox'],
  disable_comment: YES_OR_NO,
  disable_duet: YES_OR_NO,
  disable_stitch: YES_OR_NO,
  brand_content_toggle: YES_OR_NO,
  brand_organic_toggle: YES_OR_NO,
};

const keyOf = (text: string): string => text.trim().toLowerCase();

/** By what people call it, in any case: "only me" is SELF_ONLY. */
const meant = new Map(
  Object.entries(VALUES).map(([column, values]) => [
    column,
    new Map(
      values.flatMap((value) =>
        [value, labelFor(column, value)].map((text): [string, string] => [keyOf(text), value]),
      ),
    ),
  ]),
);

/** With what the API reads in place of what the dashboard shows. The same table if no cell needs it. */
export function withApiValues(table: Table): Table {
  const [header, ...lines] = table;
  const columns = (header ?? []).map((name) => meant.get(keyOf(name)));
  let isChanged = false;
  const translated = lines.map((cells) =>
    cells.map((cell, at) => {
      const value = columns[at]?.get(keyOf(cell)) ?? cell;
      if (value === cell.trim()) return cell;
      isChanged = true;
      return value;
    }),
  );
  return header && isChanged ? [header, ...translated] : table;
}
