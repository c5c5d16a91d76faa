// Key rotation: after ENCRYPTION_KEY changes, reseals everything that is still sealed with an old key, online. Then
// the old key can be removed.
import { SEALED_STATES } from '../accounts/consent-state.js';
import { SEALED_TOKENS } from '../accounts/stored-tokens.js';
import type { App } from '../app/app.js';
import { SEALED_SOURCES } from '../assets/fetch/sources.js';
import type { Database } from '../db/database.js';
import { countByKey, KEY_CHECK, resealPage, type SealedTable } from '../db/sealed-table.js';
import { SEALED_ENDPOINTS, SEALED_PREVIOUS_SECRETS } from '../events/webhooks/signature.js';
import { SEALED_FACTORS } from '../identity/auth/factors/factor-secrets.js';
import { SEALED_ATTEMPTS } from '../publishing/attempt/sealed.js';
import { SEALED_RESPONSES } from '../request/idempotency-record.js';

/** The longest last. */
const SEALED_TABLES = [
  SEALED_TOKENS,
  SEALED_ENDPOINTS,
  SEALED_PREVIOUS_SECRETS,
  SEALED_FACTORS,
  SEALED_ATTEMPTS,
  SEALED_SOURCES,
  SEALED_STATES,
  SEALED_RESPONSES,
];

/** How long a run takes at most; the next one continues. Most of the time is left to everything else. */
const RUN_MS = 1_000;
/** A pass that finds nothing rests for this many times as long as it took. Other processes may still seal with an old key. */
const REST_FACTOR = 10;

interface Found {
  resealed: number;
  left: number;
  damaged: number;
}

/** Returns a run of the loop. A process without old keys could open nothing that is sealed with another, so it does nothing. */
export function createResealRun(app: App): () => Promise<void> {
  let pass: AsyncGenerator<void, Found> | null = null;
  let beganAt = 0;
  let restUntil = 0;
  let damaged = 0;
  const end = (found: Found) => {
    pass = null;
    const hasWork = found.resealed + found.left > 0;
    if (!hasWork) restUntil = performance.now() + REST_FACTOR * (performance.now() - beganAt);
    if (found.resealed > 0)
      app.log.info({ secrets: found.resealed }, 'secrets were sealed again, with the current encryption key');
    if (found.damaged > damaged)
      app.log.error({ secrets: found.damaged }, 'secrets do not open, although their key is known');
    damaged = found.damaged;
  };
  return async () => {
    if (app.seal.keyIds.length === 1 || performance.now() < restUntil) return;
    const giveUpAt = performance.now() + RUN_MS;
    if (pass === null) beganAt = performance.now();
    pass ??= resealAll(app);
    try {
      do {
        const { done, value } = await pass.next();
        if (done) return end(value);
      } while (performance.now() < giveUpAt);
    } catch (error) {
      pass = null;
      throw error;
    }
  };
}

/** One pass through all tables; yields after each page. */
async function* resealAll(app: App): AsyncGenerator<void, Found> {
  const found: Found = { resealed: 0, left: 0, damaged: 0 };
  for (const table of SEALED_TABLES) yield* reseal(app, table, found);
  // The key of the database is the old one until nothing else needs it: a process that lacks it before then does not start.
  if (found.resealed + found.left === 0) yield* reseal(app, KEY_CHECK, found);
  return found;
}

async function* reseal(app: App, table: SealedTable, found: Found): AsyncGenerator<void> {
  let after: readonly string[] | null = null;
  do {
    const page = await resealPage(app.db, app.seal, table, after, app.clock.now());
    found.resealed += page.resealed;
    found.left += page.left;
    found.damaged += page.damaged;
    after = page.last;
    yield;
  } while (after !== null);
}

/** How many secrets are sealed with each key, by its id, the most used key first. */
export async function countSecrets({ read }: Pick<Database, 'read'>): Promise<[keyId: string, n: number][]> {
  const counts = new Map<string, number>();
  for (const table of [...SEALED_TABLES, KEY_CHECK])
    for (const [keyId, n] of await countByKey(read, table)) counts.set(keyId, (counts.get(keyId) ?? 0) + n);
  return [...counts].sort(([, a], [, b]) => b - a);
}
