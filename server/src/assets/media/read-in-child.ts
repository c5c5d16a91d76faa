// Has a file read by another process, with limited bytes, memory and time.
import type { ChildProcess } from 'node:child_process';
import { keepChild, keepSpare, startChild, takeChild } from './children.js';
import {
  type Answers,
  ENDED_BY,
  type FromChild,
  type Medium,
  mediumOf,
  type Task,
  type TaskResult,
  type ToChild,
} from './tasks.js';
import type { FileBytes } from './verdict.js';

const MB = 1024 * 1024;

export const LIMITS = {
  /** Per read, to limit the memory on this side. */
  readBytes: 4 * MB,
  totalBytes: 64 * MB,
  growthBytes: 144 * MB,
  cpuMs: 8_000,
  /** Measured once the process is ready: its start-up time is not the file's fault. */
  lookMs: 60_000,
  startMs: 60_000,
};
export type Limits = typeof LIMITS;
/** A picture that was accepted must not fail here, although it is decoded at a larger size than for its thumbnail. */
export const FIT_LIMITS: Limits = { ...LIMITS, growthBytes: 192 * MB, cpuMs: 16_000 };

/** A file that takes longer keeps its process from others. Most take a tenth of what it takes to start another one. */
const SLOW_MS = 100;

/** The file is not to blame: the process could not start, or the store did not answer. */
export class NotRead extends Error {
  override readonly name = 'NotRead';
}

type Outcome = { answer: TaskResult } | { error: Error };

const refused = (reason: string): Outcome => ({ answer: { ok: false, reason } });
const failed = (message: string): Outcome => ({ error: new Error(message) });
const notRead = (message: string, cause?: unknown): Outcome => ({ error: new NotRead(message, { cause }) });

/**
 * Anything wrong with the file is an answer. Throws `NotRead` if nothing was learned about it, and another error if its reader was ended
 * from outside, which the file may have caused.
 */
export async function readInChild<Kind extends keyof Answers>(
  task: Task<Kind>,
  file: FileBytes,
  limits: Limits = LIMITS,
  signal?: AbortSignal,
): Promise<Answers[Kind]> {
  const medium = mediumOf(task.type);
  const { child, isReady } = takeChild(medium);
  const outcome =
    (await readWith(child, isReady, task, file, limits, signal)) ??
    (await readWith(startChild(medium), false, task, file, limits, signal));
  // It began to read and answered, or the outcome says why not.
  if (outcome === null) throw new NotRead('the process that reads files ended at its start');
  if ('error' in outcome) throw outcome.error;
  return outcome.answer as Answers[Kind];
}

/** Null if it had waited for work and ended before it had read anything: that was not the file. */
function readWith(
  child: ChildProcess,
  wasKept: boolean,
  task: Task,
  file: FileBytes,
  limits: Limits,
  signal?: AbortSignal,
): Promise<Outcome | null> {
  const say = (message: ToChild) => child.send(message, () => {}); // It may be gone: 'exit' reports that.
  const whose = mediumOf(task.type);

  return new Promise((resolve) => {
    let outcome: Outcome | null = null;
    let isReady = wasKept;
    let hasRead = false;
    let pendingReads = 0;
    let bytesRead = 0;

    const end = (how: Outcome) => {
      outcome ??= how;
      child.kill('SIGKILL');
    };
    const onAbort = () => end(notRead(`the ${whose} is no longer wanted`, signal?.reason));
    const onTimeOut = () =>
      end(
        pendingReads > 0
          ? notRead(`the store is too slow to inspect a ${whose}`)
          : failed(`the ${whose} was not read in time`),
      );
    let timer = setTimeout(() => end(notRead('the reading process did not start in time')), limits.startMs);

    let slow: NodeJS.Timeout | undefined;

    const settle = (how: Outcome | null) => {
      clearTimeout(timer);
      clearTimeout(slow);
      signal?.removeEventListener('abort', onAbort);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      resolve(how);
    };

    const begin = () => {
      clearTimeout(timer);
      timer = setTimeout(onTimeOut, limits.lookMs);
      slow = setTimeout(() => keepSpare(whose), SLOW_MS);
      const lifeMs = limits.lookMs + 10_000;
      const bounds = { growth: limits.growthBytes, cpuMs: limits.cpuMs, lifeMs };
      say({ task, bounds, maxReadBytes: limits.readBytes });
    };

    const serve = async (id: number, from: number, to: number) => {
      hasRead = true;
      bytesRead += to - from;
      if (bytesRead > limits.totalBytes)
        return end(
          refused(
            `More than ${limits.totalBytes >> 20} MB of the ${whose} would have to be read to check it. ` +
              'Save it again with an index and upload the new copy.',
          ),
        );
      pendingReads++;
      try {
        const bytes = await file.read(from, to);
        if (bytes.length !== to - from)
          return end(notRead('the store returned fewer bytes than the file has'));
        say({ read: id, bytes });
      } catch (error) {
        end(notRead('the store could not be read', error));
      } finally {
        pendingReads--;
      }
    };

    const onMessage = (message: FromChild) => {
      if (outcome !== null) return;
      if (message.is === 'read') return void serve(message.read, message.start, message.end);
      if (message.is === 'ready') {
        isReady = true;
        return begin();
      }
      // A read that fails later would end it while it reads the next file.
      if (message.isWorn || pendingReads > 0) return end({ answer: message.answer });
      keepChild(child, whose);
      settle({ answer: message.answer });
    };
    // Settled only on exit, so that there are never more processes than the line allows.
    const onExit = () => {
      const isIdleDeath = wasKept && !hasRead && outcome === null;
      if (!isIdleDeath && outcome === null) keepSpare(whose);
      settle(isIdleDeath ? null : (outcome ?? whyItDied(child, isReady, whose)));
    };
    const onError = (error: Error) => {
      if (child.pid === undefined) settle(notRead('the reading process cannot be started', error));
    };

    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    if (wasKept) begin();
    // It may have died before this was called.
    if (child.exitCode !== null || child.signalCode !== null) onExit();
  });
}

/** Signals from outside, as when the machine stops or runs out of memory, may say nothing about the file. */
const FROM_OUTSIDE = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

function whyItDied({ signalCode, exitCode }: ChildProcess, isReady: boolean, whose: Medium): Outcome {
  const ended = `the reading process was ended by ${signalCode ?? `code ${exitCode}`}`;
  if (!isReady) return notRead(ended);
  if (FROM_OUTSIDE.includes(signalCode ?? '')) return failed(ended);
  return signalCode === ENDED_BY.time
    ? refused(`The ${whose} takes too long to check. Save it again and upload the new copy.`)
    : refused(`The ${whose} needs too much memory to check. Save it again and upload the new copy.`);
}
