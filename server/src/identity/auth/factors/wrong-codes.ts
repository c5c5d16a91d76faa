// Limits guesses of codes, without giving who guesses a way to lock the person out.
//
// Wrong codes are counted per person in the database, so that further tickets, networks or processes give no further guesses: ten an
// hour, then no code is checked that comes from a network where no code of theirs was ever right. Where one was, they are checked at
// once. Recovery codes are counted apart: they sign a person in from a new network while others guess codes of the app.
import type { TxApp } from '../../../app/app.js';
import { DAY_MS, HOUR_MS } from '../../../core/durations.js';
import { AppError } from '../../../core/problems.js';
import type { Tx } from '../../../db/database.js';
import type { WrongCodeTable } from '../../../db/people-tables.js';
import type { PersonKey } from '../people.js';

const MAX_WRONG = 10;

/** A network where no code was right within this time is a new one. */
export const NETWORK_RETENTION_MS = 90 * DAY_MS;

type Kind = WrongCodeTable['kind'];
type Clocked = Pick<TxApp, 'clock'>;

/** The person is locked, here and below: requests in other processes wait. */
export async function assertTriesLeft(
  { clock }: Clocked,
  tx: Tx,
  person: PersonKey,
  kind: Kind,
  network: string,
): Promise<void> {
  const counted = await wrongCodesOf(tx, person, kind);
  const now = clock.now();
  if (!counted || counted.n < MAX_WRONG || isOver(counted, now)) return;
  if (await isKnownNetwork(tx, person, network)) return;
  const seconds = Math.ceil((counted.since + HOUR_MS - now) / 1000);
  const instead =
    kind === 'totp' ? ' Use a recovery code, or a network where you have signed in before.' : '';
  throw new AppError(
    'rate_limited',
    `Too many wrong codes were given for this account within an hour.${instead} Or try again in ${Math.ceil(seconds / 60)} minutes.`,
    { headers: { 'retry-after': String(seconds) } },
  );
}

export async function countWrongCode(
  { clock }: Clocked,
  tx: Tx,
  person: PersonKey,
  kind: Kind,
): Promise<void> {
  const now = clock.now();
  const counted = await wrongCodesOf(tx, person, kind);
  const next = !counted || isOver(counted, now) ? { since: now, n: 1 } : { n: counted.n + 1 };
  await tx
    .insertInto('wrong_codes')
    .values({ org_id: person.org_id, person_id: person.id, kind, since: now, n: 1 })
    .onConflict((conflict) => conflict.columns(['org_id', 'person_id', 'kind']).doUpdateSet(next))
    .execute();
}

/** A code of the person was right there. */
export async function recordNetwork(
  { clock }: Clocked,
  tx: Tx,
  { org_id, id }: PersonKey,
  network: string,
): Promise<void> {
  const seen_at = clock.now();
  await tx
    .insertInto('person_networks')
    .values({ org_id, person_id: id, network, seen_at })
    .onConflict((conflict) => conflict.columns(['org_id', 'person_id', 'network']).doUpdateSet({ seen_at }))
    .execute();
}

export async function deleteCodeCounts(tx: Tx, { org_id, id }: PersonKey): Promise<void> {
  for (const table of ['wrong_codes', 'person_networks'] as const)
    await tx.deleteFrom(table).where('org_id', '=', org_id).where('person_id', '=', id).execute();
}

const isOver = ({ since }: { since: number }, now: number) => now - since >= HOUR_MS;

const wrongCodesOf = (tx: Tx, { org_id, id }: PersonKey, kind: Kind) =>
  tx
    .selectFrom('wrong_codes')
    .select(['since', 'n'])
    .where('org_id', '=', org_id)
    .where('person_id', '=', id)
    .where('kind', '=', kind)
    .executeTakeFirst();

const isKnownNetwork = async (tx: Tx, { org_id, id }: PersonKey, network: string): Promise<boolean> =>
  (await tx
    .selectFrom('person_networks')
    .select('network')
    .where('org_id', '=', org_id)
    .where('person_id', '=', id)
    .where('network', '=', network)
    .executeTakeFirst()) !== undefined;
