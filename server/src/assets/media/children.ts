// The processes that read the files of strangers. One reads one file at a time, so it is clear which file it died of, and is kept for
// the next: a start takes more CPU time than most pictures.
//
// Why a process and not a thread: a thread that runs out of memory may take the whole process with it. Of nine ways to
// fill a worker thread's heap beyond its resourceLimits, six ended in "FATAL ERROR … heap out of memory" and SIGABRT for
// the whole process (Node 20), among them a growing array of numbers, such as a sample table. And decoders are native code, in which
// a picture may take gigabytes, or end the process that decodes it.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Medium } from './tasks.js';

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

/** JavaScript heap of a process. The bytes it has read lie outside of it, and are counted separately. */
const HEAP_MB = 128;

/** Makes glibc return large pieces of memory immediately. A process would otherwise look as large as the largest file it has read. */
const GIVES_BACK = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/** How many processes of each medium wait for the next file: one, and its spare. Fewer would be ended and started in turn. */
const MAX_IDLE = 2;

/** Tests change them: beside many others, on a busy machine, every file is slow and every pause is long. */
export const CHILD_TIMES = {
  /** How long a process waits for the next file. */
  idleMs: 30_000,
  /** A file that takes longer keeps its process from others. Most take a tenth of what it takes to start another one. */
  slowMs: 100,
};

/**
 * How long one more process is kept ready after a file took long, or ended its process: more such files must not leave others
 * waiting for a start.
 */
const SPARE_MS = 60_000;
let spareUntil = 0;

export interface Child {
  process: ChildProcess;
  medium: Medium;
  /** Once it has started, and said so. */
  isReady: boolean;
  /** Aborts when it has ended. */
  ended: AbortSignal;
  idleTimer?: NodeJS.Timeout;
}

/** The longest idle come first. A spare is among them from its start on. */
const idle: Record<Medium, Set<Child>> = { picture: new Set(), video: new Set() };

/** The process that has been idle for the shortest time, else the spare that is being started, else a new one. */
export function takeChild(medium: Medium): Child {
  const waiting = [...idle[medium]];
  const child = waiting.findLast(({ isReady }) => isReady) ?? waiting[0] ?? startChild(medium);
  setIdle(child, false);
  if (performance.now() < spareUntil) keepSpare(medium, spareUntil);
  return child;
}

export function keepSpare(medium: Medium, until = performance.now() + SPARE_MS): void {
  spareUntil = until;
  if (idle[medium].size > 0) return;
  try {
    keepChild(startChild(medium));
  } catch {
    // The machine has no memory for it. The next file starts its own, or says so.
  }
}

/** Ends the processes that wait for a file, or will: a test must know which process reads. */
export function endIdleChildren(): void {
  spareUntil = 0;
  for (const child of [...idle.picture, ...idle.video]) endIdle(child);
}

export function startChild(medium: Medium): Child {
  const process = fork(CHILD, [medium], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, '--expose-gc'],
    // It needs none of our secrets.
    env: GIVES_BACK,
    serialization: 'advanced',
    // A process that runs out of memory prints a lot and explains nothing.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new AbortController();
  const child: Child = { process, medium, isReady: false, ended: ended.signal };
  process
    .once('message', () => {
      child.isReady = true;
    })
    .on('error', () => setIdle(child, false))
    .once('exit', () => {
      setIdle(child, false);
      ended.abort();
    });
  return child;
}

/** Keeps the process idle until the next file, unless it has ended meanwhile. */
export function keepChild(child: Child): void {
  if (child.ended.aborted) return;
  setIdle(child, true);
  const [longest, ...others] = idle[child.medium];
  if (longest && others.length >= MAX_IDLE) endIdle(longest);
}

function endIdle(child: Child): void {
  setIdle(child, false);
  child.process.kill('SIGKILL');
}

/** An idle child does not keep this process from ending, and ends with it. */
function setIdle(child: Child, isIdle: boolean): void {
  clearTimeout(child.idleTimer);
  const act = isIdle ? 'unref' : 'ref';
  child.process[act]();
  child.process.channel?.[act]();
  if (!isIdle) return void idle[child.medium].delete(child);
  idle[child.medium].add(child);
  child.idleTimer = setTimeout(endIdle, CHILD_TIMES.idleMs, child).unref();
}
