// The refusal of what exceeds a quota: what is used up, how much of it, and what to do.
import type { QuotaName } from '../config/quotas.js';
import { AppError } from '../core/problems.js';

/** "The organization <verb> 3 of its 3<noun>. <remedy>, or …" */
const WORDS: Readonly<Record<QuotaName, readonly [verb: string, noun: string, remedy: string]>> = {
  bytes: ['stores', '', 'Delete posts or files you no longer need'],
  posts_per_day: ['has created', ' posts today', 'Continue after midnight UTC'],
  keys: ['has', ' API keys', 'Revoke one'],
  members: ['has', ' members', 'An owner can remove one'],
  accounts: ['has', ' connected accounts', 'Disconnect one'],
  invitations: ['has', ' open invitations', 'Revoke one'],
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
  const [verb, noun, remedy] = WORDS[name];
  const [n, of] = [used, limit].map((n) => (name === 'bytes' ? inUnits(n) : n.toLocaleString('en')));
  const left = inUnits(Math.max(0, limit - used));
  const wantedText =
    wanted === undefined ? '' : ` ${wantedBy} ${inUnits(wanted)}, and there's room for ${left}.`;
  return `The organization ${verb} ${n} of its ${of}${noun}.${wantedText} ${remedy}, or ask your Airdate administrator for more.`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** In decimal units, with three digits. Rounded down: what is nearly full must not look full. */
function inUnits(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const n = bytes / 1000 ** power;
  const digits = power === 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2;
  return `${(Math.floor(n * 10 ** digits) / 10 ** digits).toLocaleString('en')} ${UNITS[power]}`;
}
