// One-time codes of authenticator apps (RFC 6238): SHA-1, six digits, a new code every 30 seconds. All apps know these values, and
// some know no others.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_MS = 30_000;
const DIGITS = 6;
/** As many bytes as SHA-1 has: RFC 4226 recommends it. */
const SECRET_BYTES = 20;
/** How many steps the clock of a phone may be off. */
const MAX_STEPS_OFF = 1;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const makeTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** The number of the 30 seconds that a time lies in. */
export const stepAt = (ms: number): number => Math.floor(ms / STEP_MS);

export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) as number) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Six digits, of those that apps show. */
export const isTotpCode = (code: string): boolean => /^[0-9]{6}$/.test(code);

/** The newest step around now whose code this is; null: it is wrong, or of another time. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number): number | null {
  if (!isTotpCode(code)) return null;
  const given = Buffer.from(code);
  const now = stepAt(nowMs);
  for (let step = now + MAX_STEPS_OFF; step >= now - MAX_STEPS_OFF; step--)
    if (timingSafeEqual(given, Buffer.from(codeAt(secret, step)))) return step;
  return null;
}

/** What the QR code says. The label names service and person, so that an app can list them. */
export function otpauthUrl(secret: Buffer, email: string): string {
  const parameters = new URLSearchParams({
    secret: toBase32(secret),
    issuer: ISSUER,
    algorithm: 'SHA1',
    digits: String(DIGITS),
    period: String(STEP_MS / 1000),
  });
  return `otpauth://totp/${encodeURIComponent(`${ISSUER}:${email}`)}?${parameters}`;
}

const ISSUER = 'Airdate';

/** Without padding (RFC 4648). */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('');
}
