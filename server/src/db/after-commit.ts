// What to do once a transaction is committed, and only then: counts, log lines, the removal of objects. Planned inside it, so that
// every caller of a function that writes has them too. A transaction that fails, or runs again after a deadlock, does nothing of what
// it had planned.

type PlannedAct = () => unknown;

/** By transaction. A WeakMap, so that a failed transaction needs no cleanup. */
const planned = new WeakMap<object, PlannedAct[]>();

/** `transact` resolves when all of it is done. */
export function afterCommit(tx: object, act: PlannedAct): void {
  const acts = planned.get(tx);
  if (acts) acts.push(act);
  else planned.set(tx, [act]);
}

/** What was planned in this transaction since the last call. */
export function takeAfterCommit(tx: object): PlannedAct[] {
  const acts = planned.get(tx) ?? [];
  planned.delete(tx);
  return acts;
}

/** Performs the acts in this order. No failure of theirs makes the commit look failed. */
export const perform = (acts: readonly PlannedAct[]): Promise<unknown> =>
  Promise.allSettled(acts.map(async (act) => act()));
