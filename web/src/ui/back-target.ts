// Where a post was opened from: the list, calendar or figures that were looked at last, with their filters.
import type { AnyRouter } from '@tanstack/react-router';

interface Place {
  href: string;
  name: string;
  /** Its position in the history of this tab. */
  index: number;
}

const NAMES: Record<string, string> = {
  '/library': 'Library',
  '/calendar': 'Calendar',
  '/analytics': 'Analytics',
};
const LIBRARY: Place = { href: '/library', name: 'Library', index: -1 };

let last = LIBRARY;

/** Remembers every visit of such a place. */
export function rememberPlaces(router: AnyRouter): void {
  router.subscribe('onResolved', ({ toLocation: { pathname, href } }) => {
    const name = NAMES[pathname];
    if (name !== undefined) last = { href, name, index: indexOf(router) };
  });
}

const indexOf = (router: AnyRouter): number => router.history.location.state.__TSR_index;

export const wayBack = (): Place => last;

/** If the place is just before this page in the history, it is shown as it was left, with its scroll position. */
export function goBack(router: AnyRouter): void {
  if (last.index >= 0 && indexOf(router) === last.index + 1) router.history.back();
  else router.history.push(last.href);
}
