// The text of an API key: `ad_`, 30 random characters, 6 of checksum. The prefix lets scanners recognize a leaked key; the
// checksum tells a mistyped key from an unknown one without a database query.
import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'ad_';
const RANDOM_LENGTH = 30; // of 62 characters: 178 bits
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export function makeSecret(): string {
  let body = PREFIX;
  for (let i = 0; i < RANDOM_LENGTH; i++) body += ALPHABET[randomInt(ALPHABET.length)];
  return body + checksum(body);
}

export function isWellFormed(secret: string): boolean {
  return SHAPE.test(secret) && checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH);
}

/** The part of a key that lists show. */
export const visiblePrefix = (secret: string): string => secret.slice(0, PREFIX.length + 6);

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
