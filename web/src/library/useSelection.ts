// Which posts are selected. It survives paging, so it keeps whole posts, not only those on screen: as they were when they
// were selected, so an action on them first asks the API for their current state.
import type { Post } from '@airdate/sdk/core';
import { useCallback, useEffect, useRef, useState } from 'react';

export interface Selection {
  posts: Post[];
  has: (id: string) => boolean;
  /** With `isRange`, everything from the last one that was touched. */
  toggle: (post: Post, isRange?: boolean) => void;
  addAll: (posts: Post[]) => void;
  /** Only these from now on. */
  replace: (posts: Post[]) => void;
  clear: () => void;
}

export function useSelection(shown: Post[]): Selection {
  const [selected, setSelected] = useState<ReadonlyMap<string, Post>>(new Map());
  const anchor = useRef<string | null>(null);
  const onScreen = useRef(shown);
  useEffect(() => {
    onScreen.current = shown;
  }, [shown]);

  const clear = useCallback(() => setSelected((now) => (now.size === 0 ? now : new Map())), []);
  const addAll = useCallback(
    (posts: Post[]) =>
      setSelected((now) => new Map([...now, ...posts.map((post) => [post.id, post] as const)])),
    [],
  );
  const replace = useCallback(
    (posts: Post[]) => setSelected(new Map(posts.map((post) => [post.id, post] as const))),
    [],
  );
  // Always the same function: a card is drawn again only when it changes itself.
  const toggle = useCallback(
    (post: Post, isRange = false) => {
      const from = onScreen.current.findIndex(({ id }) => id === anchor.current);
      const to = onScreen.current.findIndex(({ id }) => id === post.id);
      anchor.current = post.id;
      if (isRange && from !== -1 && to !== -1) {
        addAll(onScreen.current.slice(Math.min(from, to), Math.max(from, to) + 1));
        return;
      }
      setSelected((now) => {
        const next = new Map(now);
        if (!next.delete(post.id)) next.set(post.id, post);
        return next;
      });
    },
    [addAll],
  );
  return { posts: [...selected.values()], has: (id) => selected.has(id), toggle, addAll, replace, clear };
}
