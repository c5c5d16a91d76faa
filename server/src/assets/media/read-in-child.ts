// Has a file read by another process, with limited bytes, memory and time.
import { on } from 'node:events';
import { rejectOnAbort } from '../../core/concurrency.js';
import { CHILD_TIMES, type Child, keepChild, keepSpare, startChild, takeChild } from './children.js';
import {
  type Answers,
  ENDED_BY,
  type FileBytes,
  type FromChild,
  refused,
  type TaskResult,
  type ToChild,
} from './tasks.js';

const MB = 1024 * 1024;

export const READER_LIMITS = {
  /** Per read, to limit the memory on this side. */
  readBytes: 4 * MB,
  totalBytes: 64 * MB,
  growthBytes: 144 * MB,
  cpuMs: 8_000,
  /** Measured once the process is ready: its start-up time is not the file's fault. */
  lookMs: 60_000,
  startMs: 60_000,
};
/** A picture that was accepted must not fail here, although it is decoded at a larger size than for its thumbnail. */
export const FIT_LIMITS: typeof READER_LIMITS = { ...READER_LIMITS, growthBytes: 192 * MB, cpuMs: 16_000 };

/** Signals from outside, as when the machine stops or runs out of memory, may say nothing about the file. */
const FROM_OUTSIDE = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** The file is not to blame: the process could not start, or the store did not answer. */
export class NotRead extends Error {
  override readonly name = 'NotRead';
}

export interface ReadOptions {
  limits?: typeof READER_LIMITS;
  /** Ends the process. */
  signal?: AbortSignal | undefined;
}

/**
 * Anything wrong with the file is an answer. Throws `NotRead` if nothing was learned about it, and another error if its reader was ended
 * from outside, which the file may have caused.
 */
export async function readInChild<Kind extends keyof Answers>(
  kind: Kind,
  type: string,
  file: FileBytes,
  options: ReadOptions = {},
): Promise<Answers[Kind]> {
  const medium = type.startsWith('video/') ? 'video' : 'picture';
  const answer =
    (await readWith(takeChild(medium), kind, type, file, options)) ??
    (await readWith(startChild(medium), kind, type, file, options));
  // It began to read and answered, or threw.
  if (answer === null) throw new NotRead('the process that reads files ended at its start');
  return answer as Answers[Kind];
}

/** Null if it had waited for work and ended before it had read anything: that was not the file. */
async function readWith(
  child: Child,
  kind: keyof Answers,
  type: string,
  file: FileBytes,
  { limits = READER_LIMITS, signal }: ReadOptions,
): Promise<TaskResult | null> {
  const { process: reader, medium, isReady: wasKept } = child;
  let outcome: TaskResult | Error | undefined;
  let isWaitingForStore = false;
  let bytesRead = 0;

  const end = (why: TaskResult | Error) => {
    outcome ??= why;
    reader.kill('SIGKILL');
  };
  // It may be gone: 'exit' reports that.
  const say = (message: ToChild) => reader.send(message, () => {});
  let timer = setTimeout(() => end(new NotRead('the reading process did not start in time')), limits.startMs);
  let slow: NodeJS.Timeout | undefined;
  const begin = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isWaitingForStore) end(new NotRead(`the store is too slow to inspect a ${medium}`));
      else end(new Error(`the ${medium} was not read in time`));
    }, limits.lookMs);
    slow = setTimeout(() => keepSpare(medium), CHILD_TIMES.slowMs);
    const bounds = { growth: limits.growthBytes, cpuMs: limits.cpuMs, lifeMs: limits.lookMs + 10_000 };
    say({ task: { kind, type, size: file.size }, bounds, maxReadBytes: limits.readBytes });
  };

  const done = new AbortController();
  try {
    const messages = on(reader, 'message', { close: ['exit'] }) as AsyncIterable<[FromChild]>;
    signal?.addEventListener(
      'abort',
      () => end(new NotRead(`the ${medium} is no longer wanted`, { cause: signal.reason })),
      { once: true, signal: done.signal },
    );
    if (wasKept) begin();
    for await (const [message] of messages) {
      if (outcome) continue;
      if (message.is === 'ready') begin();
      else if (message.is === 'done') {
        if (!message.isWorn) {
          keepChild(child);
          return message.answer;
        }
        // Settled only on exit, so that there are never more processes than the queue allows.
        end(message.answer);
      } else {
        const { read, start, end: until } = message;
        bytesRead += until - start;
        if (bytesRead > limits.totalBytes) {
          end(
            refused(
              `More than ${limits.totalBytes >> 20} MB of the ${medium} would have to be read to check it. ` +
                'Save it again with an index and upload the new copy.',
            ),
          );
          continue;
        }
        isWaitingForStore = true;
        try {
          const bytes = await rejectOnAbort(child.ended, file.read(start, until));
          if (bytes.length === until - start) say({ read, bytes });
          else end(new NotRead('the store returned fewer bytes than the file has'));
        } catch (cause) {
          if (!child.ended.aborted) end(new NotRead('the store could not be read', { cause }));
        }
        isWaitingForStore = false;
      }
    }
  } catch (cause) {
    end(new NotRead('the reading process cannot be started', { cause }));
  } finally {
    clearTimeout(timer);
    clearTimeout(slow);
    done.abort();
  }
  if (outcome instanceof Error) throw outcome;
  if (outcome) return outcome;
  if (wasKept && bytesRead === 0) return null;
  keepSpare(medium);
  const { signalCode, exitCode } = reader;
  const ended = `the reading process was ended by ${signalCode ?? `code ${exitCode}`}`;
  if (!child.isReady) throw new NotRead(ended);
  if (FROM_OUTSIDE.includes(signalCode ?? '')) throw new Error(ended);
  return refused(
    signalCode === ENDED_BY.time
      ? `The ${medium} takes too long to check. Save it again and upload the new copy.`
      : `The ${medium} needs too much memory to check. Save it again and upload the new copy.`,
  );
}
