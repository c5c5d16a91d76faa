// The sandbox's accounts. An account is created when its name is first used.
import { randomBytes } from 'node:crypto';
import type { AccountRow, Store } from './store.js';

export const USERNAME = /^[a-z0-9_][a-z0-9._-]{0,23}$/;

export function accountOf(store: Store, username: string): AccountRow {
  return store.get<AccountRow>('select * from accounts where username = ?', username) as AccountRow;
}

export function ensureAccount(store: Store, username: string): AccountRow {
  const openId = `-000${randomBytes(24).toString('base64url')}`;
  const nickname = username.charAt(0).toUpperCase() + username.slice(1).replaceAll(/[._]+/g, ' ');
  store.run(
    'insert into accounts (username, open_id, nickname) values (?, ?, ?) on conflict do nothing',
    username,
    openId,
    nickname,
  );
  return accountOf(store, username);
}
