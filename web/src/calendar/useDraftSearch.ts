import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { postsQuery } from '../api/queries.js';
import { WITH_READINESS } from '../text/readiness.js';

/** The newest drafts, or those that match the search. */
export function useDraftSearch() {
  const [search, setSearch] = useState('');
  const [typed] = useDebouncedValue(search.trim(), 200);
  // As much as the API takes.
  const q = [...typed.split(/\s+/).slice(0, 8).join(' ')].slice(0, 100).join('');
  const drafts = useQuery(
    postsQuery({ status: 'draft', include: WITH_READINESS, per_page: 20, ...(q === '' ? {} : { q }) }),
  );
  return { search, setSearch, isSearch: q !== '', drafts };
}
