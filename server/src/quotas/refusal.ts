// The refusal of what exceeds a quota: what is used up, how much of it, and what to do.
import type { QuotaName } from '../config/quotas.js';
import { AppError } from '../core/problems.js';

interface Words {
  /** After "The organization". */
  used: (used: string, limit: string) => string;
  remedy: string;
}

const WORDS: Readonly<Record<QuotaName, Words>> = {
  bytes: {
    used: (used, limit) => `stores ${used} of its ${limit}`,
    remedy: 'Delete posts or files you no longer need',
  },
  posts_per_day: {
    used: (used, limit) => `has created ${used} of its ${limit} posts today`,
    remedy: 'Continue after midnight UTC',
  },
  keys: { used: (used, limit) => `has ${used} of its ${limit} API keys`, remedy: 'Revoke one' },
  members: {
    used: (used, limit) => `has ${used} of its ${limit} members`,
    remedy: 'An owner can remove one',
  },
  accounts: {
    used: (used, limit) => `has ${used} of its ${limit} connected accounts`,
    remedy: 'Disconnect one',
  },
  invitations: {
    used: (used, limit) => `has ${used} of its ${limit} open invitations`,
    remedy: 'Revoke one',
  },
};

/** `wanted`: what did not fit, for quotas of which a request may want more than one. */
export function quotaExceeded(
  name: QuotaName,
  used: number,
  limit: number,
  wanted?: number,
  wantedBy?: string,
): AppError {
  return new AppError('quota_exceeded', detailOf(name, used, limit, wanted, wantedBy));
}

export function detailOf(
  name: QuotaName,
  used: number,
  limit: number,
  wanted?: number,
  wantedBy = 'This file is',
): string {
  const inWords = (n: number) => (name === 'bytes' ? inUnits(n) : n.toLocaleString('en'));
  const { used: said, remedy } = WORDS[name];
  const left = inUnits(Math.max(0, limit - used));
  const misfit = wanted === undefined ? '' : ` ${wantedBy} ${inUnits(wanted)}, and there's room for ${left}.`;
  return `The organization ${said(inWords(used), inWords(limit))}.${misfit} ${remedy}, or ask your Airdate administrator for more.`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** In decimal units, with three digits. Rounded down: what is nearly full must not look full. */
function inUnits(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const n = bytes / 1000 ** power;
  const digits = power === 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2;
  return `${(Math.floor(n * 10 ** digits) / 10 ** digits).toLocaleString('en')} ${UNITS[power]}`;
}
