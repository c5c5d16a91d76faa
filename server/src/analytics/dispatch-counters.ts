// The number of attempts per organization and outcome, updated in the transaction of each change.

import type { Tx } from '../db/database.js';
import { prepareRead, prepareWrite } from '../db/prepared-statements.js';
import type { AttemptRow } from '../db/tables.js';

type Outcome = AttemptRow['outcome'];

/** Counts attempts that were added (`after` only), removed (`before` only) or changed their outcome (both). */
export async function countDispatches(
  tx: Tx,
  orgId: string,
  changes: readonly { before?: Outcome; after?: Outcome }[],
): Promise<void> {
  const deltas = new Map<Outcome, number>();
  for (const { before, after } of changes) {
    if (before) deltas.set(before, (deltas.get(before) ?? 0) - 1);
    if (after) deltas.set(after, (deltas.get(after) ?? 0) + 1);
  }
  // Always in this order, and after the post counters, so that transactions cannot deadlock.
  for (const outcome of [...deltas.keys()].sort()) {
    const n = deltas.get(outcome) as number;
    if (n === 0) continue;
    await bump(tx, orgId, outcome, n);
  }
}

const bump = prepareWrite((tx, org_id: string, outcome: Outcome, n: number) =>
  tx
    .insertInto('dispatch_counters')
    .values({ org_id, outcome, n })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'outcome']).doUpdateSet((eb) => ({ n: eb('dispatch_counters.n', '+', n) })),
    ),
);

/** How many attempts of each outcome there are. */
export const findDispatchTotals = prepareRead((read, orgId: string) =>
  read.selectFrom('dispatch_counters').select(['outcome', 'n']).where('org_id', '=', orgId),
);
