// Standard Webhooks: the secret of an endpoint, and the headers that prove where a message comes from.
import { createHmac, randomBytes } from 'node:crypto';
import { sealedTable } from '../../db/sealed-table.js';
import type { WebhookEndpointRow } from '../../db/webhook-tables.js';
import type { Seal } from '../../ground/seal.js';

const PREFIX = 'whsec_';

export const makeSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** One signature for each secret, in this order. The timestamp is that of the attempt. */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  now: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}

type Sealed = Pick<WebhookEndpointRow, 'org_id' | 'id' | 'secret' | 'previous_secret' | 'previous_until'>;

/** The same for both secrets: a rotation moves the one to the other's column as it is. */
const placeOf = ({ org_id, id }: Pick<Sealed, 'org_id' | 'id'>) => [org_id, id, 'webhook_endpoints.secret'];

export const SEALED_ENDPOINTS = sealedTable('webhook_endpoints', {
  key: ['org_id', 'id'],
  columns: { secret: placeOf, previous_secret: placeOf },
});

export const sealSecret = (seal: Seal, endpoint: Pick<Sealed, 'org_id' | 'id'>, secret: string): string =>
  seal.close(secret, placeOf(endpoint));

/** The secret, and for a day after a rotation the previous one as well. */
export function secretsOf(seal: Seal, endpoint: Sealed, now: number): string[] {
  const { secret, previous_secret, previous_until } = endpoint;
  const isPreviousValid = previous_secret !== null && previous_until !== null && previous_until > now;
  return [secret, ...(isPreviousValid ? [previous_secret] : [])].map((sealed) =>
    seal.open(sealed, placeOf(endpoint)),
  );
}
