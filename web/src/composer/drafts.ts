// The open drafts of this tab, one for each post, so that typed text is still there when the writer returns.
import type { Post } from '@airdate/sdk/core';
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { PostWithEtag } from '../api/client.js';
import { Draft } from './draft.js';
import type { DraftView } from './draft-view.js';

const open = new Map<string, Draft>();

const remember = (draft: Draft, id: string) => void open.set(id, draft);

let newest: Draft | undefined;

/** The draft of a post that does not exist yet. There is one at a time, or the same text could become two posts. */
export function newDraft(client: QueryClient, type: Post['post_type']): Draft {
  if (newest?.id !== undefined) newest = undefined;
  if (newest && !newest.hasUnsaved()) newest.setType(type);
  newest ??= new Draft(client, remember, type);
  return newest;
}

export const openDraft = (id: string): Draft | undefined => open.get(id);

export function draftOf(client: QueryClient, post: PostWithEtag): Draft {
  let draft = open.get(post.id);
  if (!draft) {
    draft = new Draft(client, remember, post);
    open.set(post.id, draft);
  }
  return draft;
}

export const useDraft = (draft: Draft): DraftView => useSyncExternalStore(draft.subscribe, draft.view);
