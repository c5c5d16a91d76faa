import type { Post } from '@airdate/sdk';
import { type RefObject, useState } from 'react';
import { useFocusAfterDialog } from '../../ui/useFocusAfterDialog.js';
import type { Selection } from '../useSelection.js';
import type { Asked } from './BatchDialogs.js';

interface Open {
  asked: Asked | null;
  posts: Post[];
}

/** Which dialog of the batch bar is open, and for which posts: they stay the same while it closes. */
export function useAsked(
  selection: Selection,
  list: RefObject<HTMLElement | null>,
): [Open, (what: Asked | null) => void] {
  const [open, setOpen] = useState<Open>({ asked: null, posts: [] });
  // The bar, and with it the button, may be gone by then.
  useFocusAfterDialog(open.asked !== null, () => list.current?.querySelector<HTMLElement>('[data-open]'));
  const ask = (asked: Asked | null) =>
    setOpen((now) => ({ asked, posts: asked === null ? now.posts : selection.posts }));
  return [open, ask];
}
