// One child process that looks into files once the platform has all their bytes, with little memory and time. It is started with the
// first file and kept, because a start costs more than most files. If it dies, or a file takes too long, a new one tries that file
// once more: the first may have died of something else. Then the file is given up.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Inspection, refuse } from './inspection.js';
import type { Job } from './media-child.js';

const CHILD = fileURLToPath(new URL('./media-child.js', import.meta.url));
const HEAP_MB = 128;
const LOOK_MS = 20_000;
const TRIES = 2;
/** A child without work ends after this long. */
const IDLE_MS = 60_000;

let child: ChildProcess | null = null;
let idle: NodeJS.Timeout | undefined;
/** One at a time, so that it is clear which file a child died of. */
let last: Promise<unknown> = Promise.resolve();

export function inspectMedia(job: Job): Promise<Inspection> {
  const inspection = last.then(() => tryTwice(job));
  last = inspection;
  return inspection;
}

async function tryTwice(job: Job): Promise<Inspection> {
  for (let tries = 0; tries < TRIES; tries++) {
    const inspection = await askChild(job);
    if (inspection) return inspection;
  }
  return refuse('file_format_check_failed');
}

/** Null if the child did not live to answer. */
function askChild(job: Job): Promise<Inspection | null> {
  clearTimeout(idle);
  child ??= start();
  const current = child;
  return new Promise((resolve) => {
    const end = (inspection: Inspection | null) => {
      clearTimeout(timer);
      current.off('message', end).off('exit', onDeath).off('error', onDeath);
      keepProcessAlive(current, false);
      if (inspection === null) dismiss(current);
      else idle = setTimeout(() => dismiss(current), IDLE_MS).unref();
      resolve(inspection);
    };
    const onDeath = () => end(null);
    const timer = setTimeout(onDeath, LOOK_MS);
    current.on('message', end).on('exit', onDeath).on('error', onDeath);
    // While it works, this process must not end.
    keepProcessAlive(current, true);
    current.send(job, (error) => error && end(null));
  });
}

function start(): ChildProcess {
  const started = fork(CHILD, [], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    // It needs none of our secrets.
    env: {},
    // A process that runs out of memory prints a lot and explains nothing.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A child that dies while it has nothing to do is replaced by the next file.
  started
    .on('error', () => {})
    .on('exit', () => {
      if (child === started) child = null;
    });
  return started;
}

function dismiss(inspector: ChildProcess): void {
  inspector.kill('SIGKILL');
  if (child === inspector) child = null;
}

function keepProcessAlive(inspector: ChildProcess, isNeeded: boolean): void {
  const act = isNeeded ? 'ref' : 'unref';
  inspector[act]();
  inspector.channel?.[act]();
}
