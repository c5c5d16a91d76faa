// PULL_FROM_URL: fetches the files of a post to disk, one after the other.
//
// A server that does not answer, or answers with 5xx, is retried for a while; 403, 404, 410 and redirects fail immediately. A
// file gets its name only when its last byte has arrived.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createJobs } from './jobs.js';
import { HOUR_MS, type Platform, retryMsOf } from './platform.js';
import type { Processing } from './processing.js';
import type { MediaRow, PublishRow } from './store.js';

const MAX_BYTES = { photo: 20 * 1024 * 1024, video: 4 * 1024 ** 3 };
const TIMEOUT_MS = 20_000;
const PAUSES_MS = [100, 250, 500, 1_000, 2_000];
/** Progress is recorded after each step. */
const STEP_BYTES = 4 * 1024 * 1024;
const MAX_CONCURRENT = 64;

export interface Pulling {
  begin(publishId: string): void;
  /** False if there is nothing left to stop. */
  cancel(publishId: string): boolean;
  resume(): void;
  close(): Promise<void>;
}

/** Retrying does not help. */
class Refused extends Error {}

export function createPulling(platform: Platform, processing: Processing): Pulling {
  const { options, store, log } = platform;
  const timeoutMs = options.pullTimeoutMs ?? TIMEOUT_MS;
  const jobs = createJobs<string>(MAX_CONCURRENT, pull, (publishId, err) => {
    log.error({ err }, 'the sandbox could not pull a post');
    jobs.add(publishId, retryMsOf(platform));
  });

  const stageOf = (publishId: string) =>
    store.get<PublishRow>('select stage from publishes where publish_id = ?', publishId)?.stage;

  async function pull(publishId: string, stop: AbortSignal): Promise<void> {
    const row = store.get<PublishRow>('select * from publishes where publish_id = ?', publishId);
    if (row?.stage !== 'transfer') return;
    const within = AbortSignal.any([stop, AbortSignal.timeout(HOUR_MS)]);
    const files = store.all<MediaRow>('select * from media where digits = ? order by position', row.digits);
    await mkdir(store.mediaFolder(row.digits), { recursive: true });
    try {
      for (const file of files) if (file.bytes === null) await pullFile(row, file, within);
    } catch {
      if (!stop.aborted) processing.fail(publishId, `${row.kind}_pull_failed`);
      return;
    }
    if (!stop.aborted) processing.begin(publishId);
  }

  async function pullFile(row: PublishRow, file: MediaRow, within: AbortSignal): Promise<void> {
    const giveUpAt = performance.now() + timeoutMs;
    for (let attempt = 0; ; attempt++)
      try {
        // The post may have failed for another reason in the meantime.
        if (stageOf(row.publish_id) !== 'transfer') throw new Refused();
        return await fetchOnce(row, file, within);
      } catch (error) {
        if (error instanceof Refused || within.aborted || performance.now() > giveUpAt) throw error;
        await delay(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)], undefined, { signal: within });
      }
  }

  async function fetchOnce(row: PublishRow, file: MediaRow, within: AbortSignal): Promise<void> {
    const response = await fetch(file.url as string, { redirect: 'manual', signal: within });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      const mayHeal = response.status >= 500 || [408, 425, 429].includes(response.status);
      throw mayHeal ? new Error(`answered ${response.status}`) : new Refused();
    }
    const path = store.mediaFile(file.digits, file.position);
    const draft = `${path}.${randomUUID()}`;
    try {
      const count = counter(row);
      await pipeline(Readable.fromWeb(response.body as never), count, createWriteStream(draft), {
        signal: within,
      });
      await rename(draft, path);
      if (within.aborted) return;
      store.run(
        'update media set bytes = ? where digits = ? and position = ?',
        count.bytes,
        file.digits,
        file.position,
      );
      noteBytes(row, 0);
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Passes everything on, and fails when the file is too large. */
  function counter(row: PublishRow): Transform & { bytes: number } {
    let noted = 0;
    const count = Object.assign(
      new Transform({
        transform(chunk: Buffer, _encoding, done) {
          count.bytes += chunk.length;
          if (count.bytes > MAX_BYTES[row.kind]) return done(new Refused());
          if (count.bytes - noted >= STEP_BYTES) {
            noted = count.bytes;
            try {
              noteBytes(row, noted);
            } catch (error) {
              // Thrown here, it would end the process.
              return done(error as Error);
            }
          }
          done(null, chunk);
        },
      }),
      { bytes: 0 },
    );
    return count;
  }

  /** Counts the complete files, plus this many bytes of the next one. */
  function noteBytes({ digits }: PublishRow, more: number): void {
    store.run(
      'update publishes set bytes = ? + (select coalesce(sum(bytes), 0) from media where digits = ?) where digits = ?',
      more,
      digits,
      digits,
    );
  }

  return {
    begin: (publishId) => jobs.add(publishId),

    cancel(publishId) {
      if (stageOf(publishId) !== 'transfer') return false;
      jobs.stop(publishId);
      processing.fail(publishId, 'publish_cancelled');
      return true;
    },

    resume() {
      const rows = store.all<PublishRow>(
        "select * from publishes where stage = 'transfer' and source = 'PULL_FROM_URL' order by seq",
      );
      for (const { publish_id } of rows) jobs.add(publish_id);
    },

    close: () => jobs.close(),
  };
}
