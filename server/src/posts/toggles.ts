// The five toggles of a post: 0 or 1 in the database, false or true on the wire.

import type { Flag } from '../db/tables.js';
import { TOGGLE_NAMES } from '../request/platforms.js';

export const TOGGLES = TOGGLE_NAMES;
export type Toggle = (typeof TOGGLES)[number];

type Columns = Record<Toggle, Flag>;
type Fields = Record<Toggle, boolean>;
type Given = { [Name in Toggle]?: boolean | undefined };

/** Written out, because lists call it for every row: a loop over the names took much longer. */
export const toggleFields = (row: Columns): Fields => ({
  disable_comment: row.disable_comment === 1,
  disable_duet: row.disable_duet === 1,
  disable_stitch: row.disable_stitch === 1,
  brand_content_toggle: row.brand_content_toggle === 1,
  brand_organic_toggle: row.brand_organic_toggle === 1,
});

/** All five; a toggle that is not given is off. */
export const toggleColumns = (given: Given): Columns => ({
  disable_comment: given.disable_comment ? 1 : 0,
  disable_duet: given.disable_duet ? 1 : 0,
  disable_stitch: given.disable_stitch ? 1 : 0,
  brand_content_toggle: given.brand_content_toggle ? 1 : 0,
  brand_organic_toggle: given.brand_organic_toggle ? 1 : 0,
});

/** Splits an input into its toggles, as columns, and the rest. */
export function splitToggles<T extends Given>(
  input: T,
): [toggles: Partial<Columns>, others: Omit<T, Toggle>] {
  const others = { ...input };
  const toggles: Partial<Columns> = {};
  for (const name of TOGGLES) {
    delete others[name];
    if (input[name] !== undefined) toggles[name] = input[name] ? 1 : 0;
  }
  return [toggles, others];
}
