// Using the outer handle inside a transaction is a trap: on SQLite it waits forever or reads the past, on Postgres it
// silently reads outside the transaction. Use cases that write therefore get an App without it (`TxApp` in api/app.ts), and
// a guard throws if it is used anyway.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface TransactionGuard {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Throws inside `run`, however deep in its calls. */
  assertOutside(): void;
}

export const noGuard: TransactionGuard = { run: (work) => work(), assertOutside: () => {} };

/**
 * Tracks calls with AsyncLocalStorage. That is cheap from Node 24 on; before, it slows every promise (a read by a fifth), so
 * older versions use it in tests only.
 */
export function callGuard(): TransactionGuard {
  const inside = new AsyncLocalStorage<true>();
  return {
    run: (work) => inside.run(true, work),
    assertOutside() {
      if (inside.getStore())
        throw new Error('inside a transaction only its own handle (tx) may be used, not the outer one');
    },
  };
}

export const isGuardCheap = Number(process.versions.node.split('.')[0]) >= 24;
