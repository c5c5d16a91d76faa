import type { Clash } from './draft-clash.js';
import type { Fields } from './fields.js';

/** Which of the replaced texts can come back: those of fields in which nothing was typed since. */
export function splitByUse(
  clashes: readonly Clash[],
  now: Readonly<Fields>,
): { untouched: Clash[]; typedIn: Clash[] } {
  const isUntouched = ({ field, theirs }: Clash) => now[field] === theirs;
  return {
    untouched: clashes.filter(isUntouched),
    typedIn: clashes.filter((clash) => !isUntouched(clash)),
  };
}
