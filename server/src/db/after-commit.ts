// What to do once a transaction is committed, and only then: counts and log lines. Planned inside it, so that every caller of a
// function that writes has them too. A transaction that fails, or runs again after a deadlock, does nothing of what it had planned.

/** By transaction. A WeakMap, so that a failed transaction needs no cleanup. */
const planned = new WeakMap<object, (() => void)[]>();

export function afterCommit(tx: object, act: () => void): void {
  const acts = planned.get(tx);
  if (acts) acts.push(act);
  else planned.set(tx, [act]);
}

/** What was planned in this transaction since the last call. */
export function takePlanned(tx: object): (() => void)[] {
  const acts = planned.get(tx) ?? [];
  planned.delete(tx);
  return acts;
}

export function perform(acts: readonly (() => void)[]): void {
  for (const act of acts)
    try {
      act();
    } catch {
      // It must not make the commit look failed.
    }
}
