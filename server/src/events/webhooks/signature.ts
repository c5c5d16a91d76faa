// Standard Webhooks: the secret of an endpoint, and the headers that prove where a message comes from.
import { createHmac, randomBytes } from 'node:crypto';
import type { Seal } from '../../core/seal.js';
import type { Reader, Tx } from '../../db/database.js';
import { sealedTable } from '../../db/sealed-table.js';
import type { WebhookEndpointRow } from '../../db/tables.js';
import type { EndpointRef } from './delivery-order.js';

const PREFIX = 'whsec_';

export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

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

export type SealedSecrets = Pick<
  WebhookEndpointRow,
  'org_id' | 'id' | 'secret' | 'previous_secret' | 'previous_until'
> & {
  /** The secrets that were replaced before the previous one, sealed. */
  olderSecrets: readonly string[];
};

/** What secrets are sealed for. It is the same for all of an endpoint's secrets, because a rotation moves them as they are. */
const sealContextOf = ({ org_id, id }: EndpointRef) => [org_id, id, 'webhook_endpoints.secret'];

export const SEALED_ENDPOINTS = sealedTable('webhook_endpoints', {
  key: ['org_id', 'id'],
  columns: ['secret', 'previous_secret'],
  contextOf: sealContextOf,
});

export const SEALED_PREVIOUS_SECRETS = sealedTable('webhook_previous_secrets', {
  key: ['org_id', 'endpoint_id', 'n'],
  columns: ['secret'],
  contextOf: ({ org_id, endpoint_id }) => sealContextOf({ org_id, id: endpoint_id }),
});

/** The secrets that were replaced before the previous one and still sign, the newest first. */
export async function findOlderSecrets(
  read: Reader | Tx,
  { org_id, id, previous_until }: EndpointRef & Pick<WebhookEndpointRow, 'previous_until'>,
  now: number,
): Promise<string[]> {
  // They end before it does.
  if (previous_until === null || previous_until <= now) return [];
  const rows = await read
    .selectFrom('webhook_previous_secrets')
    .select('secret')
    .where('org_id', '=', org_id)
    .where('endpoint_id', '=', id)
    .where('valid_until', '>', now)
    .orderBy('n', 'desc')
    .execute();
  return rows.map(({ secret }) => secret);
}

export const sealSecret = (seal: Seal, endpoint: EndpointRef, secret: string): string =>
  seal.seal(secret, sealContextOf(endpoint));

/** The secret, and those that were replaced in the last 24 hours, the newest first. */
export function secretsOf(seal: Seal, endpoint: SealedSecrets, now: number): string[] {
  const { secret, previous_secret, previous_until, olderSecrets } = endpoint;
  const isPreviousValid = previous_secret !== null && previous_until !== null && previous_until > now;
  return [secret, ...(isPreviousValid ? [previous_secret] : []), ...olderSecrets].map((sealed) =>
    seal.unseal(sealed, sealContextOf(endpoint)),
  );
}
