// Jobs by id, each now or later: a limited number runs at the same time, first come, first served.
import { setMaxListeners } from 'node:events';

interface Jobs<Id> {
  add(id: Id, afterMs?: number): void;
  /** Aborts the signal of a job that runs. */
  stop(id: Id): void;
  /** Begins no others, stops those that run, and waits for their end. */
  close(): Promise<void>;
}

/** `failed` may add the job again. What fails after the close is left as it is. */
export function createJobs<Id>(
  maxConcurrent: number,
  work: (id: Id, stop: AbortSignal) => Promise<void>,
  failed: (id: Id, err: unknown) => void,
): Jobs<Id> {
  const timers = new Set<NodeJS.Timeout>();
  const due: Id[] = [];
  const running = new Set<{ id: Id; stop: AbortController; ended: Promise<void> }>();
  let closed = false;

  function startNext(): void {
    while (!closed && running.size < maxConcurrent && due.length > 0) {
      const id = due.shift() as Id;
      const stop = new AbortController();
      setMaxListeners(0, stop.signal);
      const ended = work(id, stop.signal)
        .catch((err) => {
          if (!closed) failed(id, err);
        })
        .finally(() => {
          running.delete(job);
          startNext();
        });
      const job = { id, stop, ended };
      running.add(job);
    }
  }

  return {
    // Later in any case: the transaction that adds it may be rolled back.
    add(id, afterMs = 0) {
      if (closed) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        due.push(id);
        startNext();
      }, afterMs).unref();
      timers.add(timer);
    },

    stop(id) {
      for (const job of running) if (job.id === id) job.stop.abort();
    },

    async close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      for (const { stop } of running) stop.abort();
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}
