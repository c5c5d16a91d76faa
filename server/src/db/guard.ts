// The outer handle inside a transaction is a trap: on SQLite it waits for ever or reads the past, on Postgres it silently
// reads outside. Use cases that write therefore see an App without it (`TxApp` in app.ts), and a guard throws where
// one is used all the same.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface TransactionGuard {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Throws inside `run`, however deep in its calls. */
  assertOutside(): void;
}

export const noGuard: TransactionGuard = { run: (work) => work(), assertOutside: () => {} };

/**
 * Follows the calls with AsyncLocalStorage. That is cheap from Node 24 on and slows every promise before it (a read by a
 * fifth), so older Nodes have it in tests only.
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
