// The session cookie. Scripts cannot read it, other sites cannot post with it, and behind TLS it is sent only over TLS.
import type { Config } from '../config/config.js';

/** `__Host-` makes the browser enforce Secure, this host only and the whole path. */
export const cookieName = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl.startsWith('https:') ? '__Host-airdate' : 'airdate';

/** The value of one cookie in a Cookie header; null if it is not there. */
export function readCookie(header: string, name: string): string | null {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

export const setCookie = (config: Pick<Config, 'publicUrl'>, value: string, maxAgeMs: number): string =>
  [
    `${cookieName(config)}=${value}`,
    'Path=/',
    `Max-Age=${Math.floor(maxAgeMs / 1000)}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(config.publicUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ');

export const clearCookie = (config: Pick<Config, 'publicUrl'>): string => setCookie(config, '', 0);
