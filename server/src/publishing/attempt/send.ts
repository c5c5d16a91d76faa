// Sends a claimed attempt: asks what the creator may do, then makes the one call that can publish. Never inside a
// transaction, every call with a deadline, and its outcome is saved before anything else happens.
import { setTimeout as delay } from 'node:timers/promises';
import { asAccount } from '../../accounts/tokens.js';
import type { App } from '../../api/app.js';
import type { CreatorOptions, Outcome, Result } from '../../connectors/connector.js';
import type { DispatchRow } from '../../db/tables.js';
import { faultOf } from '../../ground/log.js';
import type { Refusal } from '../../safety/safety.js';
import { newNonce } from './claim.js';
import { isTooLate } from './lateness.js';
import { isYoung, renew, replaceNonce, withLease } from './lease.js';
import { expire, policyOf, settle } from './settle.js';
import { findingsOf, readSnapshot, type Snapshot, slideMedia, videoMedia } from './snapshot.js';

/**
 * Returns the attempt as it is afterwards; null if another worker took it over. `creator`: what the platform has already said
 * about the creator, if it was asked. `onAnswer` is called when the platform has answered and only saving is left.
 */
export function deliver(
  app: App,
  dispatch: DispatchRow,
  creator?: Result<CreatorOptions> | null,
  onAnswer: () => void = () => {},
): Promise<DispatchRow | null> {
  return withLease(app, dispatch, async () => {
    const outcome = await send(app, dispatch, readSnapshot(dispatch.snapshot), creator);
    onAnswer();
    if (outcome === 'too late') return untilSaved(app, dispatch, () => expire(app, dispatch));
    return outcome && (await settleSurely(app, dispatch, outcome));
  });
}

/** The same for a request, which waits for saving no longer than two leases. Saving continues without it. */
export function deliverNow(
  app: App,
  dispatch: DispatchRow,
  creator: Result<CreatorOptions> | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAnswer = () => {
      const giveUp = () => reject(new Error("the platform's answer is not saved yet"));
      timer = setTimeout(giveUp, 2 * app.config.publishing.leaseMs).unref();
    };
    deliver(app, dispatch, creator, onAnswer)
      .then(() => resolve(), reject)
      .finally(() => clearTimeout(timer));
  });
}

async function send(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
  known: Result<CreatorOptions> | null | undefined,
): Promise<Outcome | 'too late' | null> {
  // From here on, a backup that lacks this attempt is recognized as a restore. Nothing is sent without that.
  const refusal = await app.safety.confirm();
  if (refusal) return notSent(refusal);
  const creator = known !== undefined ? known : await askCreator(app, accountOf(dispatch), dispatch.mode);
  if (creator !== null && creator.kind !== 'ok') return creator;
  const mistake = findingsOf(app, snapshot, creator?.value ?? null).find(({ level }) => level === 'error');
  if (mistake)
    return {
      kind: 'refused',
      code: mistake.code,
      reason: `${mistake.detail.replace(/\.$/, '')} (${mistake.code})`,
      isRepeatable: false,
    };
  return init(app, dispatch, snapshot).catch((error) => {
    if (error instanceof Withheld) return error.verdict;
    throw error;
  });
}

/** Thrown when the init is not sent after all. */
class Withheld extends Error {
  readonly verdict: 'too late' | null;
  constructor(verdict: Withheld['verdict']) {
    super('the init was not sent');
    this.verdict = verdict;
  }
}

/** Checked directly before the call, because the process may have been paused. A young lease needs no check. */
async function mustStillSend(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<void> {
  if (!isYoung(app, dispatch) && !(await renew(app, dispatch))) throw new Withheld(null);
  if (isTooLate(dispatch, snapshot, policyOf(app))) throw new Withheld('too late');
}

const notSent = ({ code, reason }: Refusal): Outcome => ({
  kind: 'later',
  code,
  reason:
    code === 'safe_mode' ? 'The service went into safe mode before the post was sent (safe_mode)' : reason,
  isUnsent: true,
});

/** The one call that can publish. With slides it does; a video waits for its bytes. */
function init(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<Outcome> {
  if (snapshot.draft.type === 'slides') return initSlides(app, dispatch, snapshot);
  // Nothing comes of it without bytes, so it may be repeated with a new token.
  return asAccount<Outcome>(app, accountOf(dispatch), async (token, signal) => {
    await mustStillSend(app, dispatch, snapshot);
    return app.connector().beginVideo(token, snapshot.draft, videoMedia(snapshot), signal);
  });
}

/**
 * An answer that the token is too old does not prove that the platform took nothing. The call is repeated with a new token
 * only with new slide URLs, once the old ones are dead and nothing was fetched from them.
 */
function initSlides(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<Outcome> {
  let refused: Outcome | null = null;
  return asAccount<Outcome>(app, accountOf(dispatch), async (token, signal) => {
    if (refused === null) await mustStillSend(app, dispatch, snapshot);
    const nonce = refused ? await replaceNonce(app, dispatch, newNonce()) : dispatch.nonce;
    if (refused && nonce === null) return unknownAfter(refused);
    const media = slideMedia(app, snapshot, nonce ?? '');
    const outcome = await app.connector().publishSlides(token, snapshot.draft, media, signal);
    refused = outcome;
    return outcome;
  });
}

/** An outcome that a new token cannot cure. */
const unknownAfter = (outcome: Outcome): Outcome =>
  outcome.kind === 'reauthorize'
    ? { kind: 'unknown', code: outcome.code, reason: outcome.reason, isHarmless: false }
    : outcome;

/** What the creator may choose at the moment. Null for inbox drafts, which depend on none of it. */
export async function askCreator(
  app: App,
  account: { org_id: string; id: string },
  mode: DispatchRow['mode'],
): Promise<Result<CreatorOptions> | null> {
  if (mode === 'inbox') return null;
  if (app.safety.mode.kind === 'safe')
    return {
      kind: 'later',
      code: 'safe_mode',
      reason: 'The platform is not called in safe mode (safe_mode)',
    };
  if (app.safety.mode.kind === 'unchecked')
    return { kind: 'later', code: 'store_unavailable', reason: app.safety.mode.reason };
  return asAccount<Result<CreatorOptions>>(app, account, (token, signal) =>
    app.connector().creator(token, signal),
  );
}

export const accountOf = ({ org_id, social_account_id }: DispatchRow) => ({ org_id, id: social_account_id });

const LONGEST_PAUSE_MS = 2_000;
/** About once a minute. */
const LOG_EVERY = 30;
/** For a save that the database refuses: after that, another process takes the attempt over. */
const MOST_TRIES = 10;

/** Saves the platform's answer, however long that takes. */
export const settleSurely = (
  app: App,
  dispatch: DispatchRow,
  outcome: Outcome,
): Promise<DispatchRow | null> => untilSaved(app, dispatch, () => settle(app, dispatch, outcome));

/** The database answers and refuses the statement: a bug of ours that waiting does not cure. */
const isDefect = (err: unknown): boolean =>
  /^(22|23|42|SQLITE_CONSTRAINT|SQLITE_ERROR|SQLITE_MISMATCH)/.test((err as { code?: string }).code ?? '');

/**
 * The database may be unreachable just when there is an answer to save that no other process knows. Saving is retried until
 * it succeeds or the process ends.
 */
async function untilSaved<T>(app: App, { id }: DispatchRow, save: () => Promise<T>): Promise<T> {
  for (let [tries, pauseMs] = [1, 50]; ; tries++, pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await save();
    } catch (err) {
      if (app.background.ending.aborted || (isDefect(err) && tries > MOST_TRIES)) throw err;
      if (tries % LOG_EVERY === 1)
        app.log.warn(
          { ...faultOf(err), dispatch_id: id },
          "the platform's answer could not be saved; it is kept in memory and retried",
        );
      await delay(pauseMs, undefined, { signal: app.background.ending }).catch(() => {});
    }
  }
}
