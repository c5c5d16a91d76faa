// Sends a claimed attempt: asks what the creator may do, then publishes. Never inside a transaction, every call with a
// deadline, and its outcome is saved before anything else happens.
import { callAsAccount } from '../../accounts/platform-calls.js';
import type { App } from '../../app/app.js';
import type { CreatorInfo, Outcome, Result } from '../../connectors/connector.js';
import { toLogFields } from '../../core/log.js';
import { retryUntilSaved } from '../../core/until-saved.js';
import type { AttemptRow } from '../../db/tables.js';
import { withLease } from '../../work/lease.js';
import { attemptLease } from './lease.js';
import { settle } from './settle.js';
import { findingsOfSnapshot, readSnapshot, type Snapshot } from './snapshot.js';
import { accountOf, type NotSubmitted, notSent, submitAttempt, unknownAfter } from './submit.js';

/** What the creator may choose at the moment, as the platform says. An inbox draft depends on none of it. */
type CreatorAnswer = { kind: 'not_needed' } | Result<CreatorInfo>;

/** What is known of the creator before an attempt is sent. If the platform was asked, the claim has checked the post with its answer. */
export type KnownCreator = { kind: 'not_asked' } | CreatorAnswer;

export const NOT_ASKED: KnownCreator = { kind: 'not_asked' };

/**
 * Returns the attempt as it is afterwards; null if another worker took it over. `onAnswer` is called when the platform has answered and
 * only saving is left.
 */
export function sendAttempt(
  app: App,
  attempt: AttemptRow,
  creator: KnownCreator = NOT_ASKED,
  onAnswer: () => void = () => {},
): Promise<AttemptRow | null> {
  return withLease(app, attemptLease, attempt, async () => {
    const outcome = await send(app, attempt, readSnapshot(attempt.snapshot), creator);
    onAnswer();
    if (outcome.kind === 'not_owner') return null;
    return await settleWithRetry(app, attempt, outcome); // mutant: checkpoint
  });
}

/** The same for a request, which waits for saving no longer than two leases. Saving continues without it. */
export function sendAttemptNow(app: App, attempt: AttemptRow, creator: KnownCreator): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    sendAttempt(app, attempt, creator, () => {
      const late = new Error("the platform's answer is not saved yet");
      timer = setTimeout(() => reject(late), 2 * app.config.publishing.leaseMs).unref();
    })
      .then(() => resolve(), reject)
      .finally(() => clearTimeout(timer));
  });
}

async function send(
  app: App,
  attempt: AttemptRow,
  snapshot: Snapshot,
  known: KnownCreator,
): Promise<Outcome | NotSubmitted> {
  // From here on, a backup that lacks this attempt is recognized as a restore. Nothing is sent without that.
  const refusal = await app.safety.checkBeforeSend(); // mutant: note-before-call
  const isRepeated = attempt.sent_at !== null;
  if (refusal) return isRepeated ? unknownAfter(notSent(refusal)) : notSent(refusal);
  if (isRepeated || known.kind === 'not_needed' || known.kind === 'ok')
    return submitAttempt(app, attempt, snapshot);
  const creator =
    known.kind === 'not_asked' ? await askCreator(app, accountOf(attempt), attempt.mode) : known;
  if (creator.kind !== 'not_needed' && creator.kind !== 'ok') return creator;
  const found = findingsOfSnapshot(app, attempt.platform, snapshot, creatorInfoOf(creator));
  const mistake = found.find(({ level }) => level === 'error');
  if (!mistake) return submitAttempt(app, attempt, snapshot);
  const { code, detail } = mistake;
  const reason = `${detail.replace(/\.$/, '')} (${code})`;
  return { kind: 'refused', code, reason, isRepeatable: false };
}

/** What the checks of a post need of it; null if it is not known. */
export const creatorInfoOf = (creator: KnownCreator): CreatorInfo | null =>
  creator.kind === 'ok' ? creator.value : null;

export async function askCreator(
  app: App,
  account: { org_id: string; id: string },
  mode: AttemptRow['mode'],
): Promise<CreatorAnswer> {
  if (mode === 'inbox') return { kind: 'not_needed' };
  if (app.safety.mode.kind === 'safe')
    return {
      kind: 'later',
      code: 'safe_mode',
      reason: 'The platform is not called in safe mode (safe_mode)',
    };
  if (app.safety.mode.kind !== 'normal')
    return { kind: 'later', code: 'store_unavailable', reason: app.safety.mode.reason };
  return callAsAccount<Result<CreatorInfo>>(app, account, (token, signal, connector) =>
    connector.creator(token, signal),
  );
}

/** For a save that the database refuses: after that, another process takes the attempt over. */
const MAX_TRIES = 10;

/** The database answers and refuses the statement: a bug of ours that waiting does not cure. */
const DEFECT = /^(22|23|42|SQLITE_CONSTRAINT|SQLITE_ERROR|SQLITE_MISMATCH)/;

/**
 * Saves the platform's answer, or that nothing was sent because it was too late. The database may be unreachable just when there
 * is an answer that no other process knows: saving is retried until it succeeds or the process ends.
 */
export function settleWithRetry(
  app: App,
  attempt: AttemptRow,
  outcome: Outcome | { kind: 'too_late' },
): Promise<AttemptRow | null> {
  return retryUntilSaved(
    app.background.stopSignal,
    () => settle(app, attempt, outcome),
    (err, tries, isLogged) => {
      if (tries > MAX_TRIES && DEFECT.test((err as { code?: string }).code ?? '')) throw err;
      if (isLogged)
        app.log.warn(
          { ...toLogFields(err), dispatch_id: attempt.id },
          "the platform's answer could not be saved; it is kept in memory and retried",
        );
    },
  );
}
