// The time ranges of a list.
import { parseTimestamp } from '../../core/clock.js';
import type { ListPosts } from './schema.js';

const BOUNDS = [
  ['created_from', 'created_at', '>='],
  ['created_to', 'created_at', '<='],
  ['updated_from', 'updated_at', '>='],
  ['updated_to', 'updated_at', '<='],
  ['scheduled_from', 'scheduled_at', '>='],
  ['scheduled_to', 'scheduled_at', '<='],
  ['last_slot_from', 'last_slot', '>='],
  ['last_slot_to', 'last_slot', '<='],
  ['posted_from', 'posted_at', '>='],
  ['posted_to', 'posted_at', '<='],
] as const;

export type Bound = ReturnType<typeof boundsOf>[number];

/** The requested range limits; a post without such a time is outside every range. */
export const boundsOf = (input: ListPosts) =>
  BOUNDS.flatMap(([name, column, side]) => {
    const text = input[name];
    return text === undefined ? [] : [{ column, side, at: parseTimestamp(text) }];
  });
