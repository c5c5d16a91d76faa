// Shared by the tests of accounts: the way through the consent page, and checks of what comes back.
import assert from 'node:assert/strict';
import { consent, type Organization } from './harness.js';
import { type Answer, send } from './send.js';

export const CONNECT = '/api/v1/social-accounts/connect';
export const ACCOUNTS = '/api/v1/social-accounts';

/** A failure of any call: it did not come to anything, and says so. */
export const LATER = { kind: 'later', code: 'not_reached', reason: 'Not reached (not_reached)' } as const;

export async function authorizeUrl(org: Organization): Promise<URL> {
  const { status, json, text } = await org.call('POST', CONNECT);
  assert.equal(status, 200, text);
  return new URL(json.data.authorize_url);
}

/** Through the consent page and back, with these scopes only if some are named. */
export async function goThrough(org: Organization, username: string, scopes?: string[]): Promise<Answer> {
  const form: [string, string][] = [
    ['decision', 'allow'],
    ['username', username],
    ...(scopes ? ([['with_scopes', '1']] as [string, string][]) : []),
    ...(scopes ?? []).map((scope): [string, string] => ['scope', scope]),
  ];
  return send('GET', await consent((await authorizeUrl(org)).href, form), {});
}

/** The page is one that people can read, and no script runs on it. */
export function assertPage(answer: Answer, status: number, words: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  const policy = answer.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /script-src|unsafe/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.doesNotMatch(answer.text, /<script/i);
  assert.match(answer.text, words);
}
