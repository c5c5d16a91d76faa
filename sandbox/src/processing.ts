// What happens between the last byte and the end: a pause, an inspection of the files, a result, and its webhooks.
//
//   transfer ──all bytes──▶ processing ──▶ done: PUBLISH_COMPLETE (direct), SEND_TO_USER_INBOX (inbox) or FAILED
//
// Every step is one guarded statement, so that it happens once however often it is tried, even after a restart.
import { randomInt } from 'node:crypto';
import { accountOf } from './accounts.js';
import type { Size } from './inspection.js';
import { createJobs } from './jobs.js';
import { inspectMedia } from './media-inspector.js';
import { type Platform, retryMsOf } from './platform.js';
import type { MediaRow, PublishRow } from './store.js';
import type { Webhooks } from './webhooks.js';

export interface Processing {
  /** All bytes have arrived. */
  begin(publishId: string): void;
  fail(publishId: string, reason: string): void;
  /** The creator posts a draft from the inbox. False if there is no such draft. */
  postDraft(publishId: string): boolean;
  /** The client lost its access: open posts of the account fail. */
  failAll(username: string, reason: string): void;
  /** Continues what an earlier run left unfinished. */
  resume(): void;
  close(): Promise<void>;
}

/** Nineteen digits: more than a JavaScript number can hold, but less than 64 bits. */
export const newNumber = () =>
  `7${[0, 0, 0].map(() => String(randomInt(1_000_000)).padStart(6, '0')).join('')}`;

/** Inspecting a file takes memory and an open file. */
const MAX_CONCURRENT = 4;

export function createProcessing(platform: Platform, webhooks: Webhooks): Processing {
  const { options, store, log } = platform;
  const removals = new Set<Promise<void>>();
  const jobs = createJobs<string>(MAX_CONCURRENT, finish, (publishId, err) => {
    log.error({ err }, 'the sandbox could not process a post');
    try {
      fail(publishId, 'internal');
    } catch {
      // On a full disk, not even a failure can be saved.
      jobs.add(publishId, retryMsOf(platform));
    }
  });

  async function finish(publishId: string, stop: AbortSignal): Promise<void> {
    const row = find(publishId);
    if (row?.stage !== 'processing') return;
    const ordered = takeOutcome(row.username);
    if (ordered !== null) return fail(publishId, ordered);
    const reason = await failReason(row, stop);
    // The next start continues here.
    if (stop.aborted) return;
    if (reason !== null) return fail(publishId, reason);
    if (row.mode === 'inbox') deliver(row);
    else complete(row, 'processing', row.privacy_level ?? 'SELF_ONLY');
  }

  /** A result that a test ordered for the next processing, of this account or of any. */
  function takeOutcome(username: string): string | null {
    const oldest = 'select id from outcomes where username is null or username = ? order by id limit 1';
    const sql = `delete from outcomes where id = (${oldest}) returning fail_reason`;
    return store.get<{ fail_reason: string }>(sql, username)?.fail_reason ?? null;
  }

  async function failReason(row: PublishRow, stop: AbortSignal): Promise<string | null> {
    const { max_video_seconds } = accountOf(store, row.username);
    const files = store.all<MediaRow>('select * from media where digits = ? order by position', row.digits);
    for (const { digits, position } of files) {
      if (stop.aborted) return null;
      const inspection = await inspectMedia({
        kind: row.kind,
        file: store.mediaFile(digits, position),
        maxSeconds: max_video_seconds,
      });
      // One bad picture fails the whole post.
      if (inspection.reason !== null) return inspection.reason;
      store.run(
        'update media set type = ? where digits = ? and position = ?',
        inspection.type,
        digits,
        position,
      );
      if (position === 0 && inspection.size) saveSize(digits, inspection.size);
    }
    return null;
  }

  function saveSize(digits: string, { width, height, seconds }: Size): void {
    const sql = 'insert or replace into sizes (digits, width, height, seconds) values (?, ?, ?, ?)';
    store.run(sql, digits, width, height, seconds);
  }

  const find = (publishId: string) =>
    store.get<PublishRow>('select * from publishes where publish_id = ?', publishId);
  const about = (row: PublishRow) => ({
    publish_id: row.publish_id,
    publish_type: row.mode === 'inbox' ? 'INBOX_SHARE' : 'DIRECT_PUBLISH',
  });

  /** No two posts of an account share a moment, because the list of its videos continues by time. */
  function ownMoment(username: string): number {
    const sql = 'select max(finished_at) as latest from publishes where username = ?';
    const { latest } = store.get<{ latest: number | null }>(sql, username) ?? { latest: null };
    return Math.max(platform.now(), (latest ?? 0) + 1);
  }

  function complete(row: PublishRow, from: 'processing' | 'done', privacy: string): void {
    const postId = newNumber();
    store.transact(() => {
      const changed = store.run(
        `update publishes set stage = 'done', status = 'PUBLISH_COMPLETE', privacy_level = ?, post_id = ?,
           finished_at = ? where publish_id = ? and stage = ? and status <> 'PUBLISH_COMPLETE'`,
        privacy,
        postId,
        ownMoment(row.username),
        row.publish_id,
        from,
      );
      if (changed === 0) return;
      webhooks.enqueue('post.publish.complete', row.username, about(row));
      if (privacy === 'PUBLIC_TO_EVERYONE' && platform.settings.post_ids !== 'never')
        webhooks.enqueue('post.publish.publicly_available', row.username, { ...about(row), post_id: postId });
    });
  }

  function deliver(row: PublishRow): void {
    store.transact(() => {
      const changed = store.run(
        "update publishes set stage = 'done', status = 'SEND_TO_USER_INBOX', finished_at = ? where publish_id = ? and stage = 'processing'",
        platform.now(),
        row.publish_id,
      );
      if (changed > 0) webhooks.enqueue('post.publish.inbox_delivered', row.username, about(row));
    });
  }

  function fail(publishId: string, reason: string): void {
    const row = find(publishId);
    if (!row) return;
    const failed = store.transact(() => {
      const changed = store.run(
        "update publishes set stage = 'done', status = 'FAILED', fail_reason = ?, finished_at = ? where publish_id = ? and stage <> 'done'",
        reason,
        platform.now(),
        publishId,
      );
      if (changed > 0) webhooks.enqueue('post.publish.failed', row.username, { ...about(row), reason });
      return changed > 0;
    });
    if (!failed) return;
    const removal: Promise<void> = store
      .removeMedia(row.digits)
      .catch((err) => log.error({ err }, 'the sandbox could not remove the files of a post'))
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  return {
    begin(publishId) {
      const changed = store.run(
        "update publishes set stage = 'processing', processed_at = ? where publish_id = ? and stage = 'transfer'",
        platform.now() + options.processingMs,
        publishId,
      );
      if (changed > 0) jobs.add(publishId, options.processingMs);
    },

    fail,

    postDraft(publishId) {
      const row = find(publishId);
      if (row?.status !== 'SEND_TO_USER_INBOX') return false;
      complete(row, 'done', 'PUBLIC_TO_EVERYONE');
      return true;
    },

    failAll(username, reason) {
      const rows = store.all<PublishRow>(
        "select * from publishes where username = ? and stage <> 'done'",
        username,
      );
      for (const { publish_id } of rows) fail(publish_id, reason);
    },

    resume() {
      const rows = store.all<PublishRow>("select * from publishes where stage = 'processing' order by seq");
      for (const { publish_id, processed_at } of rows) {
        const rest = Math.max(0, (processed_at ?? 0) - platform.now());
        jobs.add(publish_id, Math.min(rest, options.processingMs));
      }
    },

    async close() {
      await jobs.close();
      await Promise.all(removals);
    },
  };
}
