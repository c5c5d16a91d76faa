import type { TextConflict } from './draft-state.js';
import type { Fields } from './fields.js';

/** Which of the replaced texts can come back: those of fields in which nothing was typed since. */
export function splitByUse(
  conflicts: readonly TextConflict[],
  now: Readonly<Fields>,
): { untouched: TextConflict[]; typedIn: TextConflict[] } {
  const isUntouched = ({ field, theirs }: TextConflict) => now[field] === theirs;
  return {
    untouched: conflicts.filter(isUntouched),
    typedIn: conflicts.filter((conflict) => !isUntouched(conflict)),
  };
}
