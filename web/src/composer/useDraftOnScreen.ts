import { useEffect } from 'react';
import type { PostWithEtag } from '../api/client.js';
import { stayWhenSessionIsLost } from '../api/session.js';
import type { Draft } from './draft.js';

/** Tells the draft what happens around it while it is on the screen: other versions of its post, other rights, the end. */
export function useDraftOnScreen(draft: Draft, post: PostWithEtag | undefined, mayWrite: boolean): void {
  useEffect(() => {
    if (post) draft.receive(post);
  }, [draft, post]);
  // Leaving the screen leaves the field too, but without a blur event.
  useEffect(() => () => draft.blur(), [draft]);
  useEffect(stayWhenSessionIsLost, []);
  useEffect(() => {
    if (mayWrite) draft.retry();
    // No field is being written in any more, so changes by others are shown immediately.
    else draft.blur();
  }, [draft, mayWrite]);
}
