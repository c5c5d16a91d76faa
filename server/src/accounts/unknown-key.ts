// A token whose key this process does not have says nothing about the grant, and changes nothing: what needs it is postponed,
// until a process that has the key does it.

import type { PlatformFailure } from '../connectors/connector.js';
import { toLogFields } from '../core/log.js';
import { keyIdOf, UnknownKey } from '../core/seal.js';
import type { App } from '../request/app.js';
import { type AccountRef, findTokens, type StoredTokens } from './stored-tokens.js';

const KEY_UNKNOWN: PlatformFailure = {
  kind: 'later',
  code: 'key_unknown',
  reason: "The account's access token can't be decrypted at the moment; nothing was sent (key_unknown)",
  retryAfterMs: 30_000,
  isUnsent: true,
};

type SealedTokens = Pick<StoredTokens, 'access_token' | 'refresh_token'>;

/** Before an attempt is begun or polled for a request: throws if this process cannot open the tokens. */
export async function assertHasKey(app: Pick<App, 'reads' | 'seal'>, account: AccountRef): Promise<void> {
  const row = await findTokens(app, account);
  if (row) mustHaveKeyOf(app, row);
}

export function mustHaveKeyOf(app: Pick<App, 'seal'>, { access_token, refresh_token }: SealedTokens): void {
  for (const sealed of [access_token, refresh_token])
    if (sealed && !app.seal.hasKeyOf(sealed)) throw new UnknownKey(keyIdOf(sealed));
}

/** Runs work that opens tokens of the account. */
export async function postponeIfKeyUnknown<T>(
  { log }: Pick<App, 'log'>,
  { org_id, id }: AccountRef,
  work: () => Promise<T>,
): Promise<T | PlatformFailure> {
  try {
    return await work();
  } catch (err) {
    if (!(err instanceof UnknownKey)) throw err;
    log.error(
      { ...toLogFields(err), org_id, account_id: id },
      'a token cannot be opened; its use is postponed',
    );
    return KEY_UNKNOWN;
  }
}
