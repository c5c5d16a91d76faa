// Which column a misspelt name means.
import { closest } from '../../core/closest.js';
import { COLUMNS } from './columns.js';

const NAMES = [...COLUMNS.keys()];

/** Null if none is close. In the names that people give to columns, spaces and dashes stand for what we write as `_`. */
export const nearestColumn = (name: string): string | null =>
  closest(name.replace(/[\s-]+/g, '_'), NAMES) ?? null;
