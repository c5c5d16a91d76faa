// A stream of events reports changes; without it everything on screen is fetched again now and then.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isOutage, suspectOutage } from './outage.js';
import { isReadiness, OF_MANY_POSTS, queryKeys } from './query-keys.js';
import { onRightsLost } from './session.js';

const FALLBACK_MS = 10_000;
/** A busy organization gets several change notices a second, and a list takes longer than that. */
const GATHER_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

interface Changed {
  posts?: string[];
  accounts?: boolean;
  labels?: boolean;
  snippets?: boolean;
  members?: boolean;
}

export function useLiveUpdates(): void {
  const client = useQueryClient();
  useEffect(() => listen(client), [client]);
}

function listen(client: QueryClient): () => void {
  const changes = gather(client);
  let stream: EventSource | undefined;
  let isOpen = false;
  let failures = 0;
  let again: ReturnType<typeof setTimeout> | undefined;

  const refreshAll = () => client.invalidateQueries({ refetchType: 'active' });
  const close = () => {
    clearTimeout(again);
    stream?.close();
    stream = undefined;
    isOpen = false;
  };
  const open = () => {
    close();
    const opened = new EventSource('/api/v1/events');
    stream = opened;
    opened.addEventListener('open', () => {
      // Changes while no stream was open.
      if (!isOpen) void refreshAll();
      isOpen = true;
      failures = 0;
    });
    opened.addEventListener('changed', ({ data }: MessageEvent<string>) =>
      changes.add(JSON.parse(data) as Changed),
    );
    opened.addEventListener('error', () => {
      isOpen = false;
      suspectOutage();
      // The browser reconnects after a broken connection, but not after a refusal.
      if (opened.readyState !== EventSource.CLOSED) return;
      again = setTimeout(open, Math.min(MAX_PAUSE_MS, 1_000 * 2 ** failures++) * (0.5 + Math.random()));
    });
  };
  // A browser has six connections to a host for all of its tabs together: a hidden tab needs none.
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') close();
    else open();
  };
  const stopRights = onRightsLost(() => void client.invalidateQueries({ queryKey: queryKeys.me }));
  const timer = setInterval(() => {
    if (!isOpen && !isOutage() && document.visibilityState === 'visible') void refreshAll();
  }, FALLBACK_MS);
  document.addEventListener('visibilitychange', onVisibility);
  onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    clearInterval(timer);
    stopRights();
    changes.stop();
    close();
  };
}

/** Groups notices, and fetches only what they name: some requests count against the platform's limits. */
function gather(client: QueryClient) {
  let posts = new Set<string>();
  let accounts = false;
  let labels = false;
  let snippets = false;
  let members = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = (queryKey: readonly unknown[]) => void client.invalidateQueries({ queryKey });
  const follow = () => {
    timer = undefined;
    if (posts.size > 0 || accounts) for (const key of OF_MANY_POSTS) refresh(key);
    if (posts.size > 0) refresh(queryKeys.analytics);
    for (const id of posts) refresh(queryKeys.post(id));
    if (accounts) {
      refresh(queryKeys.accounts);
      void client.invalidateQueries({ predicate: ({ queryKey }) => isReadiness(queryKey) });
    }
    if (labels) refresh(queryKeys.labels);
    if (snippets) refresh(queryKeys.snippets);
    // With the role of this person, which decides what the screens offer.
    if (members) for (const key of [queryKeys.me, queryKeys.members]) refresh(key);
    refresh(queryKeys.quotas);
    posts = new Set();
    accounts = false;
    labels = false;
    snippets = false;
    members = false;
  };
  return {
    add(changed: Changed) {
      for (const id of changed.posts ?? []) posts.add(id);
      accounts ||= changed.accounts ?? false;
      labels ||= changed.labels ?? false;
      snippets ||= changed.snippets ?? false;
      members ||= changed.members ?? false;
      timer ??= setTimeout(follow, GATHER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
