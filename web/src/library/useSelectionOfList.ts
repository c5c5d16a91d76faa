// The selection belongs to a list: another list clears it, another page of it does not.
import type { Post } from '@airdate/sdk/core';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import type { PostsQuery } from '../api/query-keys.js';
import { queryOf, type Search } from './query.js';
import type { Selection } from './useSelection.js';

/** Returns what selects posts that were just created, in the list that begins with them. */
export function useSelectionOfList(
  { replace, clear }: Selection,
  query: PostsQuery,
): (posts: Post[]) => void {
  const navigate = useNavigate();
  const which = nameOf(query);
  const current = useRef(which);
  const next = useRef<Post[]>([]);
  useEffect(() => {
    current.current = which;
    if (next.current.length > 0) replace(next.current);
    else clear();
    next.current = [];
  }, [which, replace, clear]);
  return useCallback(
    (posts) => {
      const search: Search = posts.every(({ status }) => status === 'draft') ? { status: 'draft' } : {};
      if (nameOf(queryOf(search)) === current.current) replace(posts);
      else next.current = posts;
      void navigate({ to: '/library', search });
    },
    [navigate, replace],
  );
}

const nameOf = (query: PostsQuery): string => JSON.stringify({ ...query, page: 0, per_page: 0 });
