// The texts of quotas, and when one is nearly used up.

import type { Me } from '@airdate/sdk/core';
import { number } from './numbers.js';

export type QuotaName = keyof Me['quotas'];
export type Quota = Me['quotas'][QuotaName];

export const QUOTAS: Readonly<Record<QuotaName, { label: string; inSentence: string; remedy: string }>> = {
  bytes: { label: 'Storage', inSentence: 'storage', remedy: 'Delete posts or files you no longer need' },
  posts_per_day: {
    label: 'Posts created today',
    inSentence: 'posts per day',
    remedy: 'You can continue after midnight UTC',
  },
  keys: { label: 'API keys', inSentence: 'API keys', remedy: 'Revoke one' },
  members: { label: 'Members', inSentence: 'members', remedy: 'Remove one' },
  accounts: { label: 'Connected accounts', inSentence: 'connected accounts', remedy: 'Disconnect one' },
  invitations: { label: 'Open invitations', inSentence: 'open invitations', remedy: 'Revoke one' },
};

const NEAR = 0.8;

type Level = 'fine' | 'near' | 'full';

export function levelOf({ used, limit }: Quota): Level {
  if (limit === null) return 'fine';
  if (used >= limit) return 'full';
  return used >= limit * NEAR ? 'near' : 'fine';
}

/** "18.2 GB of 20 GB", "3 of 5". */
export function usageText(name: QuotaName, { used, limit }: Quota): string {
  const format = (n: number) => (name === 'bytes' ? decimalBytes(n) : number(n));
  return limit === null ? format(used) : `${format(used)} of ${format(limit)}`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** In decimal units, as quotas are counted. Rounded down: what is nearly full must not look full. */
function decimalBytes(count: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(count, 1)) / 3), UNITS.length - 1);
  const value = count / 1000 ** power;
  const digits = power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${number(Math.floor(value * 10 ** digits) / 10 ** digits)} ${UNITS[power]}`;
}
