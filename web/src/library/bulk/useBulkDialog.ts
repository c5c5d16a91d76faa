import type { Post } from '@airdate/sdk/core';
import { type RefObject, useRef, useState } from 'react';
import { useFocusAfterDialog } from '../../ui/useFocusAfterDialog.js';
import type { Selection } from '../useSelection.js';
import type { BulkDialogName } from './BulkDialogs.js';

interface Shown {
  name: BulkDialogName | null;
  posts: Post[];
}

/** Which dialog of the bulk bar is open, and for which posts: they stay the same while it closes. */
export function useBulkDialog(selection: Selection, list: RefObject<HTMLElement | null>) {
  const [shown, setShown] = useState<Shown>({ name: null, posts: [] });
  // The bar, and with it the button, may be gone by then.
  useFocusAfterDialog(shown.name !== null, () => list.current?.querySelector<HTMLElement>('[data-open]'));
  useFocusAfterBar(selection, list);
  return {
    shown,
    open: (name: BulkDialogName) => setShown({ name, posts: selection.posts }),
    close: () => setShown(({ posts }) => ({ name: null, posts })),
  };
}

/**
 * The bar disappears with the selection, and with it the button that had the focus. The posts that were selected may be about
 * to leave the list, so the focus goes to another one, or to the list itself.
 */
function useFocusAfterBar(selection: Selection, list: RefObject<HTMLElement | null>): void {
  const last = useRef<Post[]>([]);
  if (selection.posts.length > 0) last.current = selection.posts;
  useFocusAfterDialog(selection.posts.length > 0, () => {
    const wasSelected = (id: string | undefined) => last.current.some((post) => post.id === id);
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-open]') ?? [])];
    const other = links.find((link) => !wasSelected(link.closest<HTMLElement>('[data-post]')?.dataset.post));
    return other ?? list.current;
  });
}
