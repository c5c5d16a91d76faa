// Using the outer handle inside a transaction is a trap: on SQLite it waits forever or reads the past, on Postgres it
// silently reads outside the transaction. Use cases that write therefore get an App without it (`TxApp` in app/app.ts), and
// a guard throws if it is used anyway.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface TransactionGuard {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Throws inside `run`, however deep in its calls. */
  assertOutside(): void;
}

export const noGuard: TransactionGuard = { run: (work) => work(), assertOutside: () => {} };

/** The guards whose transactions a call is in, the innermost first. */
interface OpenTransaction {
  guard: TransactionGuard;
  outer: OpenTransaction | undefined;
}

/** One for all guards: on Node 20 each storage slows every promise for as long as the process lives. */
const calls = new AsyncLocalStorage<OpenTransaction>();

/**
 * Tracks calls with AsyncLocalStorage. That is cheap from Node 24 on; before, it slows every promise (a read by a fifth), so
 * older versions use it in tests only.
 */
export function createTransactionGuard(): TransactionGuard {
  const guard: TransactionGuard = {
    run: (work) => calls.run({ guard, outer: calls.getStore() }, work),
    assertOutside() {
      for (let inside = calls.getStore(); inside; inside = inside.outer)
        if (inside.guard === guard)
          throw new Error('inside a transaction only its own handle (tx) may be used, not the outer one');
    },
  };
  return guard;
}

export const isGuardCheap = Number(process.versions.node.split('.')[0]) >= 24;
