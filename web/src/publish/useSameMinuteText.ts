import { useQuery } from '@tanstack/react-query';
import { postsQuery } from '../api/queries.js';
import { countOthersAt, minuteOf, sameMinuteText } from './same-minute.js';

/** One page: of slots among more posts than that, nothing is said. */
const PER_PAGE = 100;

const isoOf = (minute: number): string => new Date(minute * 60_000).toISOString();

/** Says that other posts of the account go out at these times; null while that is not known. */
export function useSameMinuteText(
  accountId: string | null,
  slots: readonly number[],
  own: readonly string[],
): string | null {
  const [first, last] = slots.length > 0 ? [Math.min(...slots), Math.max(...slots)] : [0, 0];
  const { data, isPlaceholderData } = useQuery({
    ...postsQuery({
      status: 'scheduled',
      social_account_id: accountId ?? '',
      scheduled_from: isoOf(minuteOf(first)),
      scheduled_to: new Date((minuteOf(last) + 1) * 60_000 - 1).toISOString(),
      per_page: PER_PAGE,
    }),
    enabled: accountId !== null && slots.length > 0,
  });
  const isWhole = data !== undefined && data.data.length === data.pagination.total;
  if (accountId === null || isPlaceholderData || !isWhole) return null;
  return sameMinuteText(countOthersAt(slots, data.data, own));
}
