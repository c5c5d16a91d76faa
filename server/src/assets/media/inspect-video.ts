// Inspects a video in a child process with limited bytes, memory and time.
//
// Why a process and not a thread: a thread that runs out of memory may take the whole process with it. Of nine ways to
// fill a worker thread's heap beyond its resourceLimits, six ended in "FATAL ERROR … heap out of memory" and SIGABRT for
// the whole process (Node 20), among them a growing array of numbers, such as a sample table.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FileBytes, Verdict } from './verdict.js';
import type { FromChild, ToChild } from './video-child.js';

export const VIDEO_LIMITS = {
  /** JavaScript heap of the child. The bytes it has read lie outside of it, and are counted separately. */
  heapMb: 128,
  /** Per read, to limit the memory on this side. */
  readBytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  /** Measured once the child is ready: its start-up time is not the file's fault. */
  lookMs: 20_000,
  startMs: 60_000,
};

const CHILD = fileURLToPath(new URL('./video-child.js', import.meta.url));

export async function inspectVideo(
  file: FileBytes,
  type: string,
  limits = VIDEO_LIMITS,
  signal?: AbortSignal,
): Promise<Verdict> {
  const start = await file.read(0, Math.min(file.size, 12));
  const isOld = type === 'video/quicktime' && start.toString('latin1', 4, 8) !== 'ftyp';
  signal?.throwIfAborted();
  return inspectInChild(isOld ? withBrand(file) : file, type, limits, signal);
}

/** QuickTime files from before 2005 lack the first box, by which the library recognizes the format. */
function withBrand(file: FileBytes): FileBytes {
  const brand = Buffer.from('\0\0\0\x10ftypqt  \0\0\0\0', 'latin1');
  const shift = brand.length;
  return {
    size: file.size + shift,
    read: async (start, end) => {
      const own = brand.subarray(Math.min(start, shift), Math.min(end, shift));
      if (end <= shift) return own;
      return Buffer.concat([own, await file.read(Math.max(start - shift, 0), end - shift)]);
    },
  };
}

type Outcome = { verdict: Verdict } | { error: Error };

const refused = (reason: string): Outcome => ({ verdict: { ok: false, reason } });
const failed = (message: string, cause?: unknown): Outcome => ({ error: new Error(message, { cause }) });

function inspectInChild(
  file: FileBytes,
  type: string,
  limits: typeof VIDEO_LIMITS,
  signal?: AbortSignal,
): Promise<Verdict> {
  const child = fork(CHILD, [], {
    execArgv: [`--max-old-space-size=${limits.heapMb}`],
    // The child needs none of our secrets.
    env: {},
    serialization: 'advanced',
    // A process that runs out of memory prints a lot and explains nothing.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const say = (message: ToChild) => child.send(message, () => {}); // The child may be gone: 'exit' reports that.

  return new Promise((resolve, reject) => {
    let outcome: Outcome | null = null;
    let isReady = false;
    let pendingReads = 0;
    let bytesRead = 0;

    const end = (how: Outcome) => {
      outcome ??= how;
      child.kill('SIGKILL');
    };
    const onAbort = () => end(failed('the video is no longer wanted', signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (how: Outcome) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if ('error' in how) reject(how.error);
      else resolve(how.verdict);
    };

    let timer = setTimeout(
      () => end(failed('the video inspection process did not start in time')),
      limits.startMs,
    );
    const onTimeOut = () =>
      end(
        pendingReads > 0
          ? failed('the store is too slow to inspect a video')
          : refused('The video takes too long to check. Save it again and upload the new copy.'),
      );

    const serve = async (id: number, from: number, to: number) => {
      bytesRead += to - from;
      if (bytesRead > limits.totalBytes)
        return end(
          refused(
            `More than ${limits.totalBytes >> 20} MB of the video would have to be read to check it. ` +
              'Save it again with an index and upload the new copy.',
          ),
        );
      pendingReads++;
      try {
        const bytes = await file.read(from, to);
        if (bytes.length !== to - from)
          return end(failed('the store returned fewer bytes than the file has'));
        say({ read: id, bytes });
      } catch (error) {
        end(failed('the store could not be read', error));
      } finally {
        pendingReads--;
      }
    };

    child.on('message', (message: FromChild) => {
      if (outcome !== null) return;
      if (message.is === 'read') return serve(message.read, message.start, message.end);
      if (message.is === 'found')
        return end({ verdict: { ok: true, found: message.found, thumbnail: null } });
      if (message.is === 'refused') return end(refused(message.reason));
      isReady = true;
      clearTimeout(timer);
      timer = setTimeout(onTimeOut, limits.lookMs);
      const lifeMs = limits.lookMs + 10_000;
      say({ task: { size: file.size, type, maxReadBytes: limits.readBytes, lifeMs } });
    });
    child.on('error', (error) => {
      if (child.pid === undefined) settle(failed('the video inspection process cannot be started', error));
    });
    // Settled only on exit, so that there are never more children than the line allows.
    child.on('exit', () => settle(outcome ?? whyItDied(child, isReady)));
  });
}

/** Signals from outside, as when the machine stops or runs out of memory, say nothing about the file. */
const FROM_OUTSIDE = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

function whyItDied({ signalCode, exitCode }: ChildProcess, isReady: boolean): Outcome {
  if (!isReady || FROM_OUTSIDE.includes(signalCode ?? ''))
    return failed(`the video inspection process was ended by ${signalCode ?? `code ${exitCode}`}`);
  return refused('The video needs too much memory to check. Save it again and upload the new copy.');
}
