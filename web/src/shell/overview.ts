// What every screen answers: what goes out next, and what needs attention.
import type { Post, PostProblem } from '@airdate/sdk/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { usePlatform } from '../api/platform.js';
import { type Attention, accountsQuery, assetsQuery, attentionQuery, useMay } from '../api/queries.js';
import { useSessionLost } from '../api/session.js';
import { lowerFirst, named, typographic } from '../text/api-text.js';
import { fateOf, mostUrgent } from '../text/readiness.js';
import { statusOf } from '../text/status.js';
import { type Cause, causesOf } from './attention.js';

/** Undefined until it is known, also after a failed look: no row would say that all is well. */
export function useCauses(): Cause[] | undefined {
  const rows = useQuery(attentionQuery);
  const accounts = useQuery(accountsQuery);
  const platform = usePlatform();
  const mayWrite = useMay('posts:write');
  const waiting = (rows.data ?? []).filter(isAboutUploads).flatMap(({ post_ids }) => post_ids);
  const files = useQueries({ queries: waiting.map(assetsQuery) });
  if (rows.data === undefined || accounts.isPending) return undefined;
  // None are left if they came since the row was read: then it is about to go.
  const fetching = new Set(waiting.filter((_, n) => files[n]?.data?.pending.every(isFetched)));
  // Who sends the files decides what is said of them.
  const isKnown = files.every(({ isPending }) => !isPending);
  const known = isKnown ? rows.data : rows.data.filter((row) => !isAboutUploads(row));
  return causesOf(known, accounts.data ?? [], fetching, Date.now(), mayWrite).map((cause) => ({
    ...cause,
    title: named(cause.title, platform),
    todo: named(cause.todo, platform),
    hint: named(typographic(cause.hint), platform),
  }));
}

const isAboutUploads = ({ cause }: Attention): boolean => cause === 'upload_unfinished';

const isFetched = ({ origin }: { origin: string }): boolean => origin === 'address';

/** Looks again; undefined unless the look has failed and nothing is known from before. */
export function useRetryOverview(): (() => void) | undefined {
  const { isError, data, refetch } = useQuery(attentionQuery);
  const isSignedOut = useSessionLost();
  return isError && data === undefined && !isSignedOut ? () => void refetch() : undefined;
}

/** A few words for a small place: why the post will fail, or that it waits. */
export function troubleOf(post: Post): string | null {
  const problem = mostUrgent(post);
  const fate = fateOf(post);
  if (fate && problem) return `${fate}: ${shortOf(problem, post)}`;
  if (post.status === 'scheduled' && problem?.code === 'account_blocked') return 'Waits: account blocked';
  const { tone, label } = statusOf(post);
  return tone === 'attention' ? label : null;
}

function shortOf({ code, detail }: PostProblem, { post_type }: Post): string {
  switch (code) {
    case 'no_media':
      return post_type === 'video' ? 'no video' : 'no slides';
    case 'reconnect_required':
      return 'not connected';
    case 'account_missing':
      return 'no account';
    default:
      return lowerFirst(detail).replace(/\.$/, '');
  }
}
