// Epochs of event ids. A restored database continues from an earlier number, so numbers repeat; with the epoch in front,
// ids do not, and an id issued after the backup is recognized. See restore-safety/.

import type { App } from '../app/app.js';
import { AppError } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import { prepareRead } from '../db/prepared-statements.js';
import { NO_EVENT, parseId } from './ids.js';

/** An organization created after a restore starts in the current epoch. */
export async function joinEpoch(tx: Tx, orgId: string): Promise<void> {
  const found = await tx.selectFrom('installation').select('epoch').executeTakeFirst();
  if (!found || found.epoch === 0) return;
  await tx.insertInto('event_epochs').values({ org_id: orgId, epoch: found.epoch, after_seq: 0 }).execute();
}

/** The position of an event in its organization's sequence. */
export interface Position {
  epoch: number;
  seq: number;
}

/** The newest event's position, or the start if there are no events. */
export async function newestPosition(app: App, orgId: string): Promise<Position> {
  const [counter] = await findCounter(app.db.read, orgId);
  const seq = counter?.last ?? 0;
  return { seq, epoch: await findEpoch(app, orgId, seq) };
}

async function findEpoch(app: App, orgId: string, seq: number): Promise<number> {
  const epochs = await findEpochs(app.db.read, orgId);
  return Math.max(0, ...epochs.filter(({ after_seq }) => after_seq < seq).map(({ epoch }) => epoch));
}

const findCounter = prepareRead((read, orgId: string) =>
  read.selectFrom('event_counters').select('last').where('org_id', '=', orgId),
);

const findEpochs = prepareRead((read, orgId: string) =>
  read.selectFrom('event_epochs').select(['epoch', 'after_seq']).where('org_id', '=', orgId),
);

/**
 * The position of a cursor. Throws if, as far as the database knows, the service never issued the id: what happened since
 * cannot be told then. Ids of expired events are still recognized by their numbers.
 */
export async function findPosition(app: App, orgId: string, id: string): Promise<Position> {
  if (id === NO_EVENT) return { epoch: 0, seq: 0 };
  const given = parseId(id);
  const newest = await newestPosition(app, orgId);
  const isKnown =
    given.seq > 0 && given.seq <= newest.seq && (await findEpoch(app, orgId, given.seq)) === given.epoch;
  if (isKnown) return given;
  throw new AppError(
    'cursor_unknown',
    `No event of your organization has the id ${id}. The service may have been restored from a backup: fetch your data again, then continue after ${NO_EVENT} or without a cursor.`,
  );
}
