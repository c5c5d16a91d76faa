/** At most four characters, so that a tab has its final width before its count is known: "999", "1.2k", "35k", "1.4M". */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${inTens(count / 1_000)}k` : `${inTens(count / 1_000_000)}M`;
}

/** Never more than there are. */
const inTens = (value: number) => (value < 10 ? Math.floor(value * 10) / 10 : Math.floor(value));
