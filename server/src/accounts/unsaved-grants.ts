// New tokens on their way into the database. The platform has killed the old refresh token, and the new one exists nowhere but
// in this process: so it is tried until it is saved, or until the process ends.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../api/app.js';
import type { Grant } from '../connectors/connector.js';
import { waitAtMost } from '../ground/concurrency.js';
import { faultOf } from '../ground/log.js';
import { type KeptTokens, type Renewal, saveGrant } from './kept-tokens.js';

interface Saving {
  isOver: boolean;
  /** When it is over, or callers have waited long enough. */
  soon: Promise<unknown>;
}

const PAUSES_MS = [100, 400, 1_600];
const LONGEST_PAUSE_MS = 2_000;
/** How long callers wait for it. Then they are told to come again, and it goes on. */
const CALLERS_WAIT_MS = 5_000;
/** About every two minutes. */
const LOG_EVERY_TRIES = 60;

/** By the sealed refresh token that is dead: no two sealed texts are equal. */
const newSavings = () => new Map<string, Saving>();

/** Begins to save a grant. It goes on whether anybody waits for it or not. */
export function keepGrant(app: App, renewal: Renewal, grant: Grant): void {
  const key = renewal.old.refresh_token ?? '';
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
 * Whether new tokens that this process has for these are saved by now, or callers have waited long enough for that. The old
 * ones are dead, and must not be tried.
 */
export async function awaitSaving(
  app: App,
  { refresh_token }: KeptTokens,
): Promise<'none' | 'over' | 'goes on'> {
  const saving = app.perProcess(newSavings).get(refresh_token ?? '');
  if (!saving) return 'none';
  await saving.soon;
  return saving.isOver ? 'over' : 'goes on';
}

async function saveUntilDone(app: App, renewal: Renewal, grant: Grant, ending: AbortSignal): Promise<void> {
  const { org_id, id } = renewal.old;
  const about = { org_id, account_id: id };
  for (let tries = 1; ; tries++) {
    const isLast = ending.aborted;
    try {
      await saveGrant(app, renewal, grant);
      if (tries > 1) app.log.info({ ...about, tries }, 'new tokens are saved at last');
      return;
    } catch (err) {
      const fault = { ...faultOf(err), ...about, tries };
      if (isLast)
        return app.log.error(fault, 'new tokens could not be saved before the process ended: they are lost');
      if (tries % LOG_EVERY_TRIES === 1)
        app.log.warn(fault, 'new tokens could not be saved; it is tried until they are');
      await delay(PAUSES_MS[tries - 1] ?? LONGEST_PAUSE_MS, undefined, { signal: ending }).catch(() => {});
    }
  }
}
