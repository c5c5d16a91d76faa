// The operator's commands about a restore: declare one, and release the service afterwards.

import type { App } from '../app/app.js';
import { byOperator, recordAudit, restoredAct } from '../audit/record.js';
import { toTimestamp } from '../core/clock.js';
import { AppError } from '../core/problems.js';
import { counterIn, NOTE_KEY, parseNote } from '../restore-safety/note.js';
import { enterSafeMode } from '../restore-safety/safe-mode.js';
import { release } from './release.js';
import type { Release, ReleaseOptions } from './schema.js';

/** Safe mode by hand: a disk image includes its own note, so its restore cannot be detected. */
export async function declareRestored(app: App, restoredTo: number | null): Promise<string> {
  const above = counterIn(parseNote(await app.store.load(NOTE_KEY)));
  const backup = restoredTo === null ? 'a backup' : `a backup of ${toTimestamp(restoredTo)}`;
  const reason = `The operator declared that the service was restored from ${backup}.`;
  await app.db.transact(async (tx) => {
    await recordAudit(app, tx, byOperator(null, null), restoredAct(reason));
    await enterSafeMode(tx, { reason, above, now: app.clock.now(), restoredTo });
  });
  await app.safety.checkBeforeSend();
  return reason;
}

export async function releaseByHand(app: App, options: ReleaseOptions): Promise<string> {
  const noteFault = await findNoteFault(app);
  const done = await app.db.transact((tx) => release(app, tx, null, options, noteFault));
  await resumePublishing(app);
  return describeRelease(done);
}

/** Why this installation's note cannot be used; null if it can. Fails if the note is another installation's, or may be. */
export async function findNoteFault(app: App): Promise<string | null> {
  const note = parseNote(await app.store.load(NOTE_KEY));
  const row = await app.db.read.selectFrom('installation').selectAll().executeTakeFirst();
  // Another installation would stop publishing if its note was overwritten. Whose a damaged one was, only the database knows.
  const isOwn =
    note === 'absent' ||
    (note === 'damaged'
      ? row?.store_noted === 1 || row?.safe_since != null
      : note.installationId === row?.installation_id);
  if (!isOwn)
    throw new AppError(
      'store_taken',
      'The file store belongs to another installation of Airdate. Give this one a store of its own (DATA_DIR, or S3_BUCKET), or run npm run adopt-store if the other one is gone for good.',
    );
  if (note === 'damaged') return `The object ${NOTE_KEY} in the file store was damaged.`;
  return note === 'absent' && row?.store_noted === 1
    ? `The object ${NOTE_KEY} was missing from the file store.`
    : null;
}

/** Resumes publishing after a release, with a new note if the present one cannot be used. */
export async function resumePublishing({ safety }: Pick<App, 'safety'>): Promise<void> {
  if ((await safety.checkBeforeSend()) && safety.mode.kind !== 'safe') await safety.replaceNote();
}

function describeRelease(done: Release): string {
  if (done.safe_since === null) return `A new note was written, and publishing resumes. ${done.reason}`;
  const list = (title: string, lines: string[]) => [
    `${title}: ${lines.length}`,
    ...lines.map((line) => `  ${line}`),
  ];
  const posts = (all: Release['kept']) =>
    all.map(({ org_id, post_id, scheduled_at }) => `${scheduled_at}  post ${post_id} of ${org_id}`);
  const attempts = (all: Release['unknown']) =>
    all.map(({ org_id, post_id }) => `post ${post_id} of ${org_id}`);
  return [
    `Safe mode has ended. It began at ${done.safe_since}. ${done.reason}`,
    ...list('Returned to draft, because they may have been published since the backup', posts(done.drafted)),
    ...list('Still scheduled', posts(done.kept)),
    ...list('Outcome unknown: check the account and resolve the post', attempts(done.unknown)),
    ...list('Accepted by the platform; their outcome is being checked', attempts(done.observed)),
    `Files without a database row are not removed before ${done.first_sweep_at}.`,
  ].join('\n');
}
