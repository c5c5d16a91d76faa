// Epochs of event ids. A restored database goes on counting from an earlier number, so numbers come twice; with the epoch
// in front no id does, and an id that was given after the backup is recognized. See restore/.
import type { App } from '../api/app.js';
import type { Tx } from '../db/database.js';
import { AppError } from '../ground/problems.js';
import { NO_EVENT, parseId } from './ids.js';

/** An organization that is made after a restore counts in that epoch from its first event on. */
export async function joinEpoch(tx: Tx, orgId: string): Promise<void> {
  const found = await tx.selectFrom('installation').select('epoch').executeTakeFirst();
  if (!found || found.epoch === 0) return;
  await tx.insertInto('event_epochs').values({ org_id: orgId, epoch: found.epoch, after_seq: 0 }).execute();
}

/** Where an organization's events stand. */
export interface Position {
  epoch: number;
  seq: number;
}

/** The newest event; nothing but the beginning if there was none yet. */
export async function newestPosition(app: App, orgId: string): Promise<Position> {
  const [counter] = await app.reads.eventCounter(orgId);
  const seq = counter?.last ?? 0;
  return { seq, epoch: await epochOf(app, orgId, seq) };
}

async function epochOf(app: App, orgId: string, seq: number): Promise<number> {
  const epochs = await app.reads.eventEpochs(orgId);
  return Math.max(0, ...epochs.filter(({ after_seq }) => after_seq < seq).map(({ epoch }) => epoch));
}

/**
 * Where to go on after this event. Fails if the service never gave the id, as far as its database knows: what came since
 * cannot be told then. Events that are too old to be kept are known all the same, by their numbers.
 */
export async function positionOf(app: App, orgId: string, id: string): Promise<Position> {
  if (id === NO_EVENT) return { epoch: 0, seq: 0 };
  const given = parseId(id);
  const newest = await newestPosition(app, orgId);
  const isKnown =
    given.seq > 0 && given.seq <= newest.seq && (await epochOf(app, orgId, given.seq)) === given.epoch;
  if (isKnown) return given;
  throw new AppError(
    'cursor_unknown',
    `No event of your organization has the id ${id}. The service may have been restored from a backup: fetch what you show anew, and go on after ${NO_EVENT} or without a cursor.`,
  );
}
