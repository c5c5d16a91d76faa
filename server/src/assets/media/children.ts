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

/** Has glibc give large pieces of memory back at once. A process would otherwise look as large as the largest file it has read. */
const GIVES_BACK = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/** How many wait for the next file, and how long. */
const MAX_IDLE = 3;
const IDLE_MS = 30_000;

/**
 * So long after a file took long, or ended its process, one more is kept ready: more such files must not leave others to wait for
 * a start.
 */
const SPARE_MS = 60_000;
let spareUntil = 0;

/** The longest idle come first. */
const idle = new Map<ChildProcess, { medium: Medium; timer: NodeJS.Timeout }>();

/** The one that has waited for the shortest time, else the spare that is being started, else a new one. */
export function takeChild(medium: Medium): { child: ChildProcess; isReady: boolean } {
  const ready = idleOf(medium);
  const latest = ready.at(-1);
  const child = latest ?? starting.get(medium) ?? startChild(medium);
  if (latest) leaveIdle(latest);
  else starting.delete(medium);
  keepProcessAlive(child, true);
  if (ready.length < 2 && performance.now() < spareUntil) startSpare(medium);
  return { child, isReady: latest !== undefined };
}

export function keepSpare(medium: Medium): void {
  spareUntil = performance.now() + SPARE_MS;
  if (idleOf(medium).length === 0) startSpare(medium);
}

const idleOf = (medium: Medium) => [...idle.keys()].filter((child) => idle.get(child)?.medium === medium);

/** Of each medium at most one at a time. */
const starting = new Map<Medium, ChildProcess>();

function startSpare(medium: Medium): void {
  if (starting.has(medium)) return;
  let spare: ChildProcess;
  try {
    spare = startChild(medium);
  } catch {
    // The machine has no memory for it. The next file starts its own, or says so.
    return;
  }
  starting.set(medium, spare);
  keepProcessAlive(spare, false);
  const leave = () => starting.get(medium) === spare && starting.delete(medium);
  spare
    .once('exit', leave)
    .once('error', leave)
    .once('message', () => {
      if (leave()) keepChild(spare, medium);
    });
}

/** Ends those that wait for a file, or will: a test must know which process reads. */
export function endWaiting(): void {
  spareUntil = 0;
  for (const child of [...idle.keys(), ...starting.values()]) {
    leaveIdle(child);
    child.kill('SIGKILL');
  }
  starting.clear();
}

/** It sends `ready` when it is. */
export function startChild(medium: Medium): ChildProcess {
  const child = fork(CHILD, [medium], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, '--expose-gc'],
    // It needs none of our secrets.
    env: GIVES_BACK,
    serialization: 'advanced',
    // A process that runs out of memory prints a lot and explains nothing.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A message may be sent to one that has just died; `exit` reports that.
  return child.on('error', () => {}).once('exit', () => leaveIdle(child));
}

/** Has it wait for the next file. It does not keep this process from ending, and ends with it. */
export function keepChild(child: ChildProcess, medium: Medium): void {
  keepProcessAlive(child, false);
  const timer = setTimeout(() => child.kill('SIGKILL'), IDLE_MS).unref();
  idle.set(child, { medium, timer });
  const [longest] = idle.keys();
  if (idle.size > MAX_IDLE && longest) {
    leaveIdle(longest);
    longest.kill('SIGKILL');
  }
}

function leaveIdle(child: ChildProcess): void {
  clearTimeout(idle.get(child)?.timer);
  idle.delete(child);
}

function keepProcessAlive(child: ChildProcess, isNeeded: boolean): void {
  const act = isNeeded ? 'ref' : 'unref';
  child[act]();
  child.channel?.[act]();
}
