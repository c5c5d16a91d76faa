// The names and the picture of an account, as the platform reports them.

import type { App } from '../app/app.js';
import { nameTarget } from '../audit/record.js';
import type { Result } from '../connectors/connector.js';
import { markChanged } from '../db/changes.js';
import { isRow } from '../db/is-row.js';
import type { AccountRef } from '../db/tables.js';
import { callAsAccount } from './platform-calls.js';
import { splitScopes } from './stored-tokens.js';

/** Fetches names and picture and stores what the platform returns. Missing values keep what was stored. */
export async function refreshProfile(app: App, account: AccountRef): Promise<void> {
  const row = await findNames(app, account);
  if (!row) return;
  const mayPublish = app.connector(row.platform).consent.allowsDirect(splitScopes(row.scopes));
  const [identity, creator] = await Promise.all([
    callAsAccount(app, account, (token, signal, connector) => connector.identity(token, signal)).then(
      valueOrNull,
    ),
    // The platform gives the unique name only to apps that may publish.
    mayPublish
      ? callAsAccount(app, account, (token, signal, connector) => connector.creator(token, signal)).then(
          valueOrNull,
        )
      : null,
  ]);
  const isNameless = row.username === row.open_id || !mayPublish;
  const username = creator?.username || (isNameless && identity?.displayName) || row.username;
  const display_name = creator?.nickname || identity?.displayName || row.display_name;
  const avatar_url = creator?.avatarUrl ?? identity?.avatarUrl ?? row.avatar_url;
  await app.db.transact(async (tx) => {
    await tx
      .updateTable('social_accounts')
      .set({ username: storable(username), display_name: display_name && storable(display_name), avatar_url })
      .where(isRow(account))
      .execute();
    if (row.username === row.open_id) await nameTarget(tx, account, storable(username));
    markChanged(tx, account.org_id, { accounts: true });
  });
}

function findNames(app: App, { org_id, id }: AccountRef) {
  return app.db.read
    .selectFrom('social_accounts')
    .select(['username', 'display_name', 'avatar_url', 'open_id', 'scopes', 'platform'])
    .where(isRow({ org_id, id }))
    .executeTakeFirst();
}

const valueOrNull = <Value>(result: Result<Value>): Value | null =>
  result.kind === 'ok' ? result.value : null;

/** Names come from third parties, and Postgres cannot store NUL. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed();
