// A process without the key of a stored secret says nothing about the secret, and changes nothing: the work is postponed until
// a process that has the key does it.
import type { App } from '../api/app.js';
import type { Setback } from '../connectors/connector.js';
import { faultOf } from '../ground/log.js';
import { UnknownKey } from '../ground/seal.js';

const KEY_UNKNOWN: Setback = {
  kind: 'later',
  code: 'key_unknown',
  reason: "The service can't decrypt a stored secret at the moment; nothing was sent (key_unknown)",
  retryAfterMs: 30_000,
  isUnsent: true,
};

/** Runs work that opens secrets. `about` names whose they are, for the log. */
export async function unlessKeyUnknown<T>(
  { log }: Pick<App, 'log'>,
  about: { org_id: string; account_id: string },
  work: () => Promise<T>,
): Promise<T | Setback> {
  try {
    return await work();
  } catch (err) {
    if (!(err instanceof UnknownKey)) throw err;
    log.error(
      { ...faultOf(err), ...about },
      'a secret cannot be opened without its key; its use is postponed',
    );
    return KEY_UNKNOWN;
  }
}
