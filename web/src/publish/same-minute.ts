// Other posts of an account that go out in the same minute. Pure.
import type { Post } from '@airdate/sdk/core';

export const minuteOf = (at: number | string): number => Math.floor(new Date(at).getTime() / 60_000);

/** How many there are for each slot. The posts that get the slots are no others. */
export function countOthersAt(
  slots: readonly number[],
  scheduled: readonly Pick<Post, 'id' | 'scheduled_at'>[],
  own: readonly string[],
): number[] {
  const others = scheduled.filter(({ id }) => !own.includes(id));
  return slots.map(
    (slot) => others.filter(({ scheduled_at }) => minuteOf(scheduled_at ?? '') === minuteOf(slot)).length,
  );
}

export function sameMinuteText(counts: readonly number[]): string | null {
  const [count = 0] = counts;
  const shared = counts.filter((each) => each > 0).length;
  if (shared === 0) return null;
  if (counts.length === 1)
    return count === 1
      ? '1 other post of this account goes out then.'
      : `${count} other posts of this account go out then.`;
  return shared === 1
    ? 'At one of these times, another post of this account goes out.'
    : `At ${shared} of these times, other posts of this account go out.`;
}
