// Watches over the process it is called in, from a thread of its own: whatever a file makes the other threads do, the process ends
// itself once it has gone beyond its bounds.
import { Worker } from 'node:worker_threads';
import { type Bounds, ENDED_BY } from './tasks.js';

/** Memory that a process may keep from file to file. Its allocator gives back late what a large picture took. */
const KEPT = 32 * 1024 * 1024;

const EVERY_MS = 5;

/** Sleeps until the first number is 1. The others are bounds: bytes of memory, microseconds of CPU time, and a time. */
const WATCH = `
const { state, bounds } = require('node:worker_threads').workerData;
const end = (signal) => process.kill(process.pid, signal);
const cpu = () => { const { user, system } = process.cpuUsage(); return user + system; };
for (;;) {
  Atomics.wait(state, 0, 0);
  while (Atomics.load(state, 0) === 1) {
    if (process.memoryUsage.rss() > bounds[0]) end('${ENDED_BY.memory}');
    if (cpu() > bounds[1]) end('${ENDED_BY.time}');
    if (Date.now() > bounds[2]) end('SIGKILL');
    Atomics.wait(state, 0, 1, ${EVERY_MS});
  }
}`;

export function watchBounds() {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const bounds = new Float64Array(new SharedArrayBuffer(24));
  new Worker(WATCH, { eval: true, workerData: { state, bounds } }).unref();
  const set = (isBusy: 0 | 1) => {
    Atomics.store(state, 0, isBusy);
    Atomics.notify(state, 0);
  };
  let atFirst: number | undefined;
  return {
    begin({ growth, cpuMs, lifeMs }: Bounds): void {
      atFirst ??= process.memoryUsage.rss();
      const { user, system } = process.cpuUsage();
      bounds.set([atFirst + growth, user + system + cpuMs * 1000, Date.now() + lifeMs]);
      set(1);
    },
    /** Returns whether the process has grown too much for another file. */
    end(): boolean {
      set(0);
      return process.memoryUsage.rss() > (atFirst ?? 0) + KEPT;
    },
  };
}
