// Verifies that a webhook is the platform's, and reads what it notifies of.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookNotice } from '../connector.js';
import { fieldsOf, parseJson, textOf } from './json.js';

const TOLERANCE_SECONDS = 300;
const HEADER = 'tiktok-signature';

/** `t=1633174587,s=…`: the HMAC of the time, a dot and the raw body. */
export function isSigned(header: string, body: Buffer, secret: string, now: number): boolean {
  const parts = new Map(
    header.split(',').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
    }),
  );
  const [time = '', signature = ''] = [parts.get('t'), parts.get('s')];
  if (!/^\d{1,12}$/.test(time) || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  // Compared before the age is checked, so that timing reveals nothing.
  const isEqual = timingSafeEqual(expected, Buffer.from(signature, 'hex'));
  return isEqual && Math.abs(now / 1000 - Number(time)) <= TOLERANCE_SECONDS;
}

export function readWebhook(
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
  { clientKey, clientSecret }: { clientKey: string; clientSecret: string },
  now: number,
): WebhookNotice | null {
  const [, header] = Object.entries(headers).find(([name]) => name.toLowerCase() === HEADER) ?? [];
  if (typeof header !== 'string' || !isSigned(header, body, clientSecret, now)) return null;
  const event = fieldsOf(parseJson(body.toString()));
  const name = textOf(event?.event);
  if (!event || name === null || event.client_key !== clientKey) return null;
  const content = fieldsOf(typeof event.content === 'string' ? parseJson(event.content) : event.content);
  return {
    publishId: textOf(content?.publish_id),
    openId: textOf(event.user_openid),
    isGrantGone: name === 'authorization.removed',
    isPublic: name === 'post.publish.publicly_available',
    key: createHash('sha256').update(body).digest('hex'),
  };
}
