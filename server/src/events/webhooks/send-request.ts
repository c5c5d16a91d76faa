// One signed request to an endpoint.

import type { App } from '../../app/app.js';
import { OutboundError, readStart } from '../../core/outbound/outbound.js';
import type { WebhookEndpointRow } from '../../db/tables.js';
import type { WebhookResponse } from './decide.js';
import { type SealedSecrets, secretsOf, signedHeaders } from './signature.js';

/** The time limit of the whole request, the same as other senders have. */
const TIMEOUT_MS = 15_000;
/** How much of a response is stored. */
const EXCERPT_BYTES = 1024;

export interface DeliveryResult extends WebhookResponse {
  at: number;
  ms: number;
  /** Why there is no response, for people. */
  error: string | null;
  response: string | null;
}

type Endpoint = SealedSecrets & Pick<WebhookEndpointRow, 'url'>;

/** Never rejects. Ends early with the signal. */
export async function sendRequest(
  app: App,
  endpoint: Endpoint,
  { id, body }: { id: string; body: string },
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const at = app.clock.now();
  const began = performance.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Airdate-Webhooks/1',
    ...signedHeaders(secretsOf(app.seal, endpoint, at), id, at, body),
  };
  const ms = () => Math.round(performance.now() - began);
  try {
    const answer = await app.outbound.open(endpoint.url, {
      method: 'POST',
      headers,
      body,
      signal,
      timeoutMs: TIMEOUT_MS,
    });
    const response = excerptOf(await readStart(answer.body, EXCERPT_BYTES));
    const retryAfterMs = retryAfter(answer.headers['retry-after'], at);
    return { at, ms: ms(), status: answer.status, error: null, response, retryAfterMs };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { at, ms: ms(), status: null, error: error.message, response: null, retryAfterMs: null };
  }
}

/** Text that both databases and every page can hold. */
const excerptOf = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd');

/** Seconds, or a date. */
function retryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}
