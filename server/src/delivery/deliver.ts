// Sends a claimed attempt: asks what the creator may do, then makes the one call that can publish. Never inside a
// transaction, every call with a deadline, and what came of it is written down before anything else.
import { setTimeout as delay } from 'node:timers/promises';
import { asAccount } from '../accounts/tokens.js';
import type { App } from '../app.js';
import type { CreatorOptions, Outcome, Result } from '../connectors/connector.js';
import type { DispatchRow } from '../db/tables.js';
import { isYoung, keepHolding, renew } from '../dispatches/lease.js';
import { faultOf } from '../log.js';
import type { Refusal } from '../restore/safety.js';
import { settle } from './settle.js';
import { findingsOf, readSnapshot, type Snapshot, slideMedia, videoMedia } from './snapshot.js';

/**
 * The attempt as it is afterwards; null if it was taken over meanwhile. `creator` is what the platform has said about the
 * creator already, if somebody has asked.
 */
export async function deliver(
  app: App,
  dispatch: DispatchRow,
  creator?: Result<CreatorOptions> | null,
): Promise<DispatchRow | null> {
  const heartbeat = keepHolding(app, dispatch);
  try {
    const outcome = await send(app, dispatch, readSnapshot(dispatch.snapshot), creator);
    return outcome && (await settleSurely(app, dispatch, outcome));
  } finally {
    heartbeat.stop();
  }
}

async function send(
  app: App,
  dispatch: DispatchRow,
  snapshot: Snapshot,
  known: Result<CreatorOptions> | null | undefined,
): Promise<Outcome | null> {
  // A backup that lacks this attempt is recognized from here on; without that nothing is sent.
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
  // Whoever was paused until now finds out before anything is sent, and not after. A hold this young needs no look.
  if (!isYoung(app, dispatch) && !(await renew(app, dispatch))) return null;
  return init(app, dispatch, snapshot);
}

const notSent = ({ code, reason }: Refusal): Outcome =>
  code === 'safe_mode'
    ? { kind: 'later', code, reason: 'The service went into safe mode before the post was sent (safe_mode)' }
    : { kind: 'later', code, reason };

/** The one call that can publish something. With slides it does; a video waits for its bytes. */
function init(app: App, dispatch: DispatchRow, snapshot: Snapshot): Promise<Outcome> {
  const connector = app.connector();
  return asAccount<Outcome>(app, accountOf(dispatch), (token, signal) =>
    snapshot.draft.type === 'video'
      ? connector.beginVideo(token, snapshot.draft, videoMedia(snapshot), signal)
      : connector.publishSlides(
          token,
          snapshot.draft,
          slideMedia(app, snapshot, dispatch.nonce ?? ''),
          signal,
        ),
  );
}

/** What the creator may choose just now. Drafts for the inbox depend on none of it: null. */
export async function askCreator(
  app: App,
  account: { org_id: string; id: string },
  mode: DispatchRow['mode'],
): Promise<Result<CreatorOptions> | null> {
  if (mode === 'inbox') return null;
  if (app.safety.mode.kind !== 'normal')
    return { kind: 'later', code: 'safe_mode', reason: 'The platform is not asked in safe mode (safe_mode)' };
  return asAccount<Result<CreatorOptions>>(app, account, (token, signal) =>
    app.connector().creator(token, signal),
  );
}

export const accountOf = ({ org_id, social_account_id }: DispatchRow) => ({ org_id, id: social_account_id });

const LONGEST_PAUSE_MS = 2_000;

/**
 * The database may be away in the very moment in which there is something to write down. The platform's answer is kept
 * until it is back, or until the attempt's next owner has surely begun.
 */
export async function settleSurely(
  app: App,
  dispatch: DispatchRow,
  outcome: Outcome,
): Promise<DispatchRow | null> {
  const giveUpAt = performance.now() + 2 * app.config.publishing.leaseMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await settle(app, dispatch, outcome);
    } catch (err) {
      if (performance.now() > giveUpAt) throw err;
      app.log.warn(
        { ...faultOf(err), dispatch_id: dispatch.id },
        'what the platform said could not be written down; it is tried again',
      );
      await delay(pauseMs);
    }
  }
}
