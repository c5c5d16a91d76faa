// Whether a webhook message comes from the service: Standard Webhooks (https://www.standardwebhooks.com).
import type { WebhookMessage } from './client/schemas.js';

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

/** Those of a `Request`, or of `node:http`. */
type HeadersLike = Headers | Record<string, string | string[] | undefined>;

interface VerifyOptions {
  /** How far the clocks may differ, in seconds. Default: 300. */
  tolerance?: number | undefined;
  /** In milliseconds. */
  now?: number | undefined;
}

/**
 * The message of a webhook, once its signature is checked. `body` is the body exactly as it came. While a secret is being
 * replaced, pass both. Throws a `WebhookVerificationError` for anything that is not to be trusted.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from '@airdate/sdk';
 *
 * async function receive(request: Request): Promise<Response> {
 *   const { type, data } = await verifyWebhook(await request.text(), request.headers, webhookSecret);
 *   if (type === 'post.published') console.log('live:', data.post_url);
 *   return new Response(null, { status: 204 });
 * }
 * console.log((await receive(webhookRequest)).status); // 204
 * ```
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeadersLike,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!/^\d+$/.test(timestamp)) throw new WebhookVerificationError('The timestamp is not a number.');
  if (Math.abs(now / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookVerificationError('The message is too old, or from the future.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const secret of [secrets].flat())
    for (const signature of signatures.split(' '))
      if (await isGenuine(signed, signature, secret)) return JSON.parse(text);
  throw new WebhookVerificationError('No signature matches.');
}

async function isGenuine(
  signed: Uint8Array<ArrayBuffer>,
  signature: string,
  secret: string,
): Promise<boolean> {
  const [version, base64 = ''] = signature.split(',');
  const bytes = version === 'v1' ? bytesOf(base64) : undefined;
  const raw = bytesOf(secret.replace(/^whsec_/, ''));
  if (!raw) throw new WebhookVerificationError('The secret is not valid: it is Base64 after `whsec_`.');
  if (!bytes) return false;
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, bytes, signed);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return bytes.length > 0 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function headerOf(headers: HeadersLike, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}
