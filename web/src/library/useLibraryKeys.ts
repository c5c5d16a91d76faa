// J and K move from post to post, X selects, E archives, P publishes. Enter opens, as with every link.
import type { Post } from '@airdate/sdk/core';
import { useHotkeys } from '@mantine/hooks';
import { type RefObject, useEffect, useRef } from 'react';
import { useMay } from '../api/queries.js';
import { isEditable } from '../post/nextStep.js';
import { useArchive } from '../post/useArchive.js';
import { isTyping } from '../ui/typing.js';
import type { Selection } from './useSelection.js';

export function useLibraryKeys(
  list: RefObject<HTMLElement | null>,
  posts: Post[],
  selection: Selection,
  onPublish: (postId: string) => void,
): void {
  const mayWrite = useMay('posts:write');
  const mayPublish = useMay('posts:publish');
  const { archive, unarchive } = useArchive();
  /** Where the focus goes when the focused post leaves the list. */
  const next = useRef<number | null>(null);

  const here = () => {
    const id = document.activeElement?.closest<HTMLElement>('[data-post]')?.dataset.post;
    return posts.findIndex((post) => post.id === id);
  };
  const focus = (index: number) => {
    const link = list.current?.querySelectorAll<HTMLElement>('[data-open]')[index];
    link?.focus();
    link?.closest('[data-post]')?.scrollIntoView({ block: 'nearest' });
  };
  const move = (by: number) => {
    const at = here();
    focus(at === -1 ? 0 : Math.max(0, Math.min(posts.length - 1, at + by)));
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: when the list changes, not the function
  useEffect(() => {
    if (next.current === null || posts.length === 0) return;
    const wanted = Math.min(next.current, posts.length - 1);
    next.current = null;
    if (document.activeElement === document.body) focus(wanted);
  }, [posts]);

  const archiveIt = () => {
    const at = here();
    const one = posts[at];
    const chosen = selection.posts.length > 0 ? selection.posts : one ? [one] : [];
    if (!mayWrite || chosen.length === 0) return;
    next.current = at === -1 ? null : at;
    void (chosen.every(({ status }) => status === 'archived') ? unarchive : archive)(chosen);
    selection.clear();
  };

  // While a dialog or a menu is open it gets all keys.
  const alone = (act: () => void) => (event: KeyboardEvent) => {
    if (isTyping(document.activeElement) || isInMenu(document.activeElement)) return;
    // Escape has closed the menu that it was meant for.
    if (!isInMenu(event.target) && !document.querySelector('[role="dialog"]')) act();
  };
  const withPost = (act: (post: Post) => void) =>
    alone(() => {
      const post = posts[here()];
      if (post) act(post);
    });

  const publish = (post: Post) => {
    if (mayPublish && isEditable(post)) onPublish(post.id);
  };

  // Also on a checkbox that was just ticked, so no element is ignored by its tag.
  useHotkeys(
    [
      ['j', alone(() => move(1)), QUIET],
      ['k', alone(() => move(-1)), QUIET],
      ['x', withPost((post) => mayWrite && selection.toggle(post)), QUIET],
      ['e', alone(archiveIt), QUIET],
      ['p', withPost(publish), QUIET],
      ['Escape', alone(selection.clear), QUIET],
    ],
    [],
  );
}

const isInMenu = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[role="menu"]') !== null;

/** Letters typed into a field must arrive there. */
const QUIET = { preventDefault: false };
