// Actions on the selected posts. What was done can be undone; posts that were refused stay selected, with the reason.

import type { Post } from '@airdate/sdk/core';
import { notifications } from '@mantine/notifications';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { refreshPosts, useLeadMs } from '../../api/queries.js';
import { queryKeys } from '../../api/query-keys.js';
import { describePosts, quote } from '../../post/archiving.js';
import { number } from '../../text/numbers.js';
import { zoneName } from '../../text/time.js';
import { showActionNotice } from '../../ui/action-notice.js';
import type { Selection } from '../useSelection.js';
import {
  type BulkResult,
  backToSlots,
  NOT_SCHEDULED,
  refusalLines,
  type Step,
  stillScheduled,
  undoOfSchedule,
} from './bulk.js';
import { labelsUndone } from './label-undo.js';
import { refetchPosts, restoreDrafts, sendBulk, setLabels } from './send.js';

interface Texts {
  done: (what: string) => string;
  undone: (what: string) => string;
  /** "moved": what was not done with a refused post. */
  participle: string;
}

interface Action {
  run: () => Promise<BulkResult>;
  texts: Texts;
  /** Left out, and still selected afterwards. */
  excluded?: Post[];
  /** Absent: it cannot be undone. */
  undo?: (done: Post[]) => Promise<BulkResult>;
}

export type BulkActions = ReturnType<typeof useBulkActions>;

/** Of the dialogs that ask what to do with the selected posts. */
export interface BulkDialogProps {
  opened: boolean;
  onClose: () => void;
  /** Those that were selected when it opened. */
  posts: Post[];
  bulk: BulkActions;
}

export function useBulkActions(selection: Selection) {
  const client = useQueryClient();
  const leadMs = useLeadMs();
  const isBusy = useRef(false);
  const [busy, setBusy] = useState(false);
  /** Resolves when everything is said. */
  async function run(action: Action): Promise<void> {
    if (isBusy.current) return;
    isBusy.current = true;
    setBusy(true);
    try {
      const { done, refused, now } = await action.run();
      updateLists(client, now ?? []);
      selection.replace([...refused.map(({ post }) => post), ...(action.excluded ?? [])]);
      notifyDone(client, action, done);
      notifyRefused(refused, action.texts.participle);
    } finally {
      isBusy.current = false;
      setBusy(false);
      void refreshPosts(client);
    }
  }
  return {
    isBusy: busy,
    /** `stepsFor` gets the posts as they are now, in the same order. */
    schedule: (posts: Post[], stepsFor: (now: Post[]) => Step[]) =>
      run({
        run: async () => sendBulk(stepsFor(await refetchPosts(posts))),
        undo: async (done) => restoreDrafts(await takeBack(done, undoOfSchedule), leadMs),
        texts: {
          done: (what) => `${what} scheduled.`,
          undone: (what) => `${what} restored.`,
          participle: 'scheduled',
        },
      }),
    move: (posts: Post[], days: number) =>
      run({
        run: async () => sendBulk([shiftOf(await refetchPosts(posts), days)]),
        undo: (done) => takeBack(done, backToSlots),
        texts: {
          done: (what) => `${what} moved ${inDays(days)}.`,
          undone: (what) => `${what} moved back.`,
          participle: 'moved',
        },
      }),
    unschedule: (posts: Post[]) => run({ run: () => unschedule(posts), ...UNSCHEDULE }),
    remove: (posts: Post[], excluded: Post[]) =>
      run({
        excluded,
        run: () => sendBulk([{ posts, body: { action: 'delete' } }]),
        texts: { done: (what) => `${what} deleted.`, undone: String, participle: 'deleted' },
      }),
    label: (posts: Post[], labelsOf: (post: Post) => string[]) =>
      run({
        run: async () => setLabels(await refetchPosts(posts), labelsOf),
        undo: async (done) => {
          const before = new Map(done.map((post) => [post.id, post]));
          return setLabels(await refetchPosts(done), (now) => {
            const was = before.get(now.id);
            return was ? labelsUndone(was.labels, labelsOf(was), now.labels) : now.labels;
          });
        },
        texts: {
          done: (what) => `Labels changed on ${what}.`,
          undone: (what) => `Labels restored on ${what}.`,
          participle: 'changed',
        },
      }),
  };
}

const shiftOf = (posts: Post[], days: number): Step => ({
  posts,
  body: { action: 'shift', days, time_zone: zoneName() },
});

/** Undoes it for all posts but those that someone has unscheduled since. */
async function takeBack(changed: Post[], stepsOf: (before: Post[]) => Step[]): Promise<BulkResult> {
  const { posts, refused } = stillScheduled(changed, await refetchPosts(changed));
  const result = await sendBulk(stepsOf(posts));
  return { ...result, refused: [...result.refused, ...refused] };
}

const UNSCHEDULE: Omit<Action, 'run'> = {
  undo: (done) => sendBulk(backToSlots(done)),
  texts: {
    done: (what) => `${what} unscheduled.`,
    undone: (what) => `${what} scheduled again.`,
    participle: 'unscheduled',
  },
};

/** The API takes drafts too, and would leave them as they are. */
async function unschedule(posts: Post[]): Promise<BulkResult> {
  const now = await refetchPosts(posts);
  const scheduled = now.filter(({ status }) => status === 'scheduled');
  const others = now.filter(({ status }) => status !== 'scheduled');
  const result = await sendBulk([{ posts: scheduled, body: { action: 'unschedule' } }]);
  return {
    ...result,
    refused: [...result.refused, ...others.map((post) => ({ post, reason: NOT_SCHEDULED }))],
  };
}

/** The cards say it with the notice, and not when the lists are there again. Whether the posts will go out is not known until then. */
function updateLists(client: QueryClient, posts: Post[]): void {
  const changed = new Map(posts.map((post) => [post.id, post]));
  const after = (listed: Post): Post => {
    const now = changed.get(listed.id);
    if (!now) return listed;
    const { readiness: _before, ...rest } = listed;
    return { ...rest, ...now };
  };
  client.setQueriesData<{ data: Post[] }>(
    { queryKey: queryKeys.postLists },
    (list) => list && { ...list, data: list.data.map(after) },
  );
}

function notifyDone(client: QueryClient, { texts, undo }: Action, done: Post[]): void {
  if (done.length === 0) return;
  const text = texts.done(describePosts(done));
  if (!undo) {
    notifications.show({ color: 'gray', message: text });
    return;
  }
  const onUndo = async () => {
    const back = await undo(done);
    updateLists(client, back.now ?? []);
    if (back.done.length > 0)
      notifications.show({ color: 'gray', message: texts.undone(describePosts(back.done)) });
    notifyRefused(back.refused, 'restored');
    await refreshPosts(client);
  };
  showActionNotice({
    id: `bulk-${texts.participle}-${done[0]?.id}`,
    text,
    button: { label: 'Undo', onClick: () => void onUndo() },
  });
}

/** Names the posts that an action has left as they are, and why. */
export function notifyRefused(refused: BulkResult['refused'], participle: string): void {
  if (refused.length === 0) return;
  const [first] = refused;
  const isOne = refused.length === 1 && first !== undefined;
  notifications.show({
    color: 'red',
    autoClose: false,
    title: `${isOne ? `${quote(first.post)} wasn’t` : `${number(refused.length)} posts weren’t`} ${participle}`,
    message: isOne
      ? first.reason
      : refusalLines(refused).map((line) => (
          <div key={line} style={{ overflowWrap: 'anywhere' }}>
            {line}
          </div>
        )),
  });
}

const inDays = (days: number): string => {
  const count = Math.abs(days);
  return `${count} ${count === 1 ? 'day' : 'days'} ${days > 0 ? 'later' : 'earlier'}`;
};
