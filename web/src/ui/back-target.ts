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

const POST = /^\/posts\/([^/]+)/;

let last = LIBRARY;

/** The post that was looked at since. */
let seenPost: string | undefined;

/** Remembers every visit of such a place. */
export function rememberPlaces(router: AnyRouter): void {
  router.subscribe('onResolved', ({ toLocation: { pathname, href } }) => {
    const name = NAMES[pathname];
    if (name === undefined) {
      seenPost = POST.exec(pathname)?.[1] ?? seenPost;
      return;
    }
    // Of another place: no one comes back from it to this one.
    if (name !== last.name) seenPost = undefined;
    last = { href, name, index: indexOf(router) };
  });
}

/** The post that a person comes back from, once, while nothing else has the focus. */
export function takeSeenPost(): string | undefined {
  const id = seenPost;
  seenPost = undefined;
  return document.activeElement === document.body ? id : undefined;
}

const indexOf = (router: AnyRouter): number => router.history.location.state.__TSR_index;

export const wayBack = (): Place => last;

/** If the place is just before this page in the history, it is shown as it was left, with its scroll position. */
export function goBack(router: AnyRouter): void {
  if (last.index >= 0 && indexOf(router) === last.index + 1) router.history.back();
  else router.history.push(last.href);
}
