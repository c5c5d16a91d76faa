import { useQuery } from '@tanstack/react-query';
import { countsQuery } from '../api/queries.js';
import { isFiltered, type Search, tabOf } from './query.js';

/** The organization has no post at all, so there is nothing to choose from. False until that is known. */
export function useIsBlank(search: Search): boolean {
  const { data } = useQuery(countsQuery);
  if (!data || isFiltered(search) || tabOf(search) !== 'active') return false;
  return Object.values(data).every((count) => count === 0);
}
