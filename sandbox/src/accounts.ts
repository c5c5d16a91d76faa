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
  store.insert('accounts', { username, open_id: openId, nickname }, 'on conflict do nothing');
  return accountOf(store, username);
}

/** A coloured disc with the first letter, always the same for a name. */
export function avatar(username: string): string {
  const hue = [...username].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">
<circle cx="50" cy="50" r="50" fill="hsl(${hue} 45% 45%)"/>
<text x="50" y="67" font-family="sans-serif" font-size="48" text-anchor="middle" fill="#fff">${username.charAt(0).toUpperCase()}</text>
</svg>`;
}
