// Shared by the connector's tests: a connector to a platform, drafts, and deadlines that never depend on a fast machine.
import type { Absent, Connector, Draft, Outcome, Ready, Result } from '../../../src/connectors/connector.js';
import { createTikTokConnector } from '../../../src/connectors/tiktok/connector.js';
import { CLIENT, REDIRECT, type TestPlatform } from '../../support/platform/test-platform.js';
import { until } from '../../support/runner/until.js';

export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CONSENT = { redirectUri: REDIRECT, verifier: VERIFIER };

export const connectorTo = (url: string): Connector =>
  createTikTokConnector({
    apiUrl: url,
    authUrl: `${url}/v2/auth/authorize/`,
    clientKey: CLIENT.client_key,
    clientSecret: CLIENT.client_secret,
  });

export const draftOf = (changes: Partial<Draft> = {}): Draft => ({
  type: 'slides',
  mode: 'direct',
  title: 'A title',
  caption: 'A caption',
  hashtags: '#maps',
  privacyLevel: 'PUBLIC_TO_EVERYONE',
  disableComment: false,
  disableDuet: false,
  disableStitch: false,
  isBrandedContent: false,
  isOwnBrand: false,
  ...changes,
});
export const VIDEO = draftOf({ type: 'video' });

/** Only to notice a hang. */
export const patience = () => AbortSignal.timeout(60_000);

/** Makes the call, and aborts it as soon as it has met its fault, so that the test does not wait for a hang. */
export async function untilMet<Value>(
  platform: TestPlatform,
  call: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const deadline = new AbortController();
  const outcome = call(deadline.signal);
  await until('the fault is met', async () => {
    const { json } = await platform.request('GET', '/__control/faults');
    return json.data.length === 0;
  });
  deadline.abort();
  return outcome;
}

/** A kind and its qualifier, in one word. */
export function short(outcome: Ready | Absent | Outcome | Result<unknown>): string {
  return outcome.kind === 'reauthorize' ? outcome.cure : outcome.kind;
}

export function granted<Value>(result: Result<Value>): Value {
  if (result.kind !== 'ok') throw new Error(`${result.kind}: ${result.reason}`);
  return result.value;
}

export function acceptedOf(outcome: Ready | Absent | Outcome) {
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  return outcome;
}
