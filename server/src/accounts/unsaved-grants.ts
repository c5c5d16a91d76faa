// New tokens on their way into the database. The platform has invalidated the old refresh token, and the new one exists only
// in this process, so saving is retried until it succeeds or the process ends.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../api/app.js';
import type { Grant } from '../connectors/connector.js';
import { waitAtMost } from '../ground/concurrency.js';
import { faultOf } from '../ground/log.js';
import { type KeptTokens, type Renewal, saveGrant } from './kept-tokens.js';

interface Saving {
  isOver: boolean;
  /** Resolves when saving is over, or when callers have waited long enough. */
  soon: Promise<unknown>;
}

const PAUSES_MS = [100, 400, 1_600];
const MAX_PAUSE_MS = 2_000;
/** How long callers wait. Then they are asked to retry later, while saving continues. */
const CALLERS_WAIT_MS = 5_000;
/** About every two minutes. */
const LOG_EVERY_TRIES = 60;

/** Per process, keyed by the replaced access token in its sealed form: no two sealed texts are equal. */
const newSavings = () => new Map<string, Saving>();

/** Starts saving a grant. It continues whether or not a caller waits for it. */
export function keepGrant(app: App, renewal: Renewal, grant: Grant): void {
  const key = renewal.old.access_token ?? '';
  const savings = app.perProcess(newSavings);
  const saved = app.background
    .start((ending) => saveUntilDone(app, renewal, grant, ending))
    .then(() => {
      saving.isOver = true;
      savings.delete(key);
    });
  const saving: Saving = { isOver: false, soon: waitAtMost(CALLERS_WAIT_MS, saved) };
  savings.set(key, saving);
}

/**
 * Waits, up to a limit, until new tokens that replace these are saved. The old ones are dead and must not be tried.
 */
export async function awaitSaving(
  app: App,
  { access_token }: KeptTokens,
): Promise<'none' | 'over' | 'goes on'> {
  const saving = app.perProcess(newSavings).get(access_token ?? '');
  if (!saving) return 'none';
  await saving.soon;
  return saving.isOver ? 'over' : 'goes on';
}

async function saveUntilDone(app: App, renewal: Renewal, grant: Grant, ending: AbortSignal): Promise<void> {
  const { org_id, id } = renewal.old;
  const about = { org_id, account_id: id };
  for (let tries = 1; ; tries++) {
    const isLast = ending.aborted; // mutant: save-grant
    try {
      await saveGrant(app, renewal, grant);
      if (tries > 1) app.log.info({ ...about, tries }, 'new tokens were saved after failed attempts');
      return;
    } catch (err) {
      const fault = { ...faultOf(err), ...about, tries };
      if (isLast)
        return app.log.error(fault, 'new tokens are lost: they could not be saved before the process ended');
      if (tries % LOG_EVERY_TRIES === 1)
        app.log.warn(fault, 'new tokens could not be saved; retrying until they are');
      await delay(PAUSES_MS[tries - 1] ?? MAX_PAUSE_MS, undefined, { signal: ending }).catch(() => {});
    }
  }
}
