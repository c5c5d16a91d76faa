// What the tests of accounts share: a service beside a sandbox of its own, a connector that is watched, and looks into rows.

import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import type { App } from '../src/api/app.js';
import { openApp } from '../src/app.js';
import type { Connector } from '../src/connectors/connector.js';
import type { SocialAccountRow } from '../src/db/tables.js';
import type { Log } from '../src/ground/log.js';
import { type Engine, silentLog } from './databases.js';
import { type Answer, consent, type Organization, send, type TestService, useService } from './harness.js';
import { CLIENT, type TestPlatform, usePlatform } from './sandbox/platform.js';

export const CONNECT = '/api/v1/social-accounts/connect';
export const ACCOUNTS = '/api/v1/social-accounts';
export const HOUR_MS = 3_600_000;

type Watched = 'renew' | 'exchange' | 'revoke' | 'creator' | 'identity';

/** The real connector, counted, and with something done instead of a call if a test says so. */
export class WatchedConnector {
  calls: Watched[] = [];
  instead: Partial<Pick<Connector, Watched>> = {};
  real: Connector | null = null;

  readonly wrap = (real: Connector): Connector => {
    this.real = real;
    const watch = <Name extends Watched>(name: Name) => {
      const call = (...given: never[]) => {
        this.calls.push(name);
        const act = (this.instead[name] ?? real[name]) as (...given: never[]) => unknown;
        return act(...given);
      };
      return call as unknown as Connector[Name];
    };
    return {
      ...real,
      renew: watch('renew'),
      exchange: watch('exchange'),
      revoke: watch('revoke'),
      creator: watch('creator'),
      identity: watch('identity'),
    };
  };

  count(name: Watched): number {
    return this.calls.filter((call) => call === name).length;
  }
}

export interface AccountsWorld {
  platform: TestPlatform;
  service: TestService;
  watched: WatchedConnector;
  /** Moves both clocks. */
  advance(ms: number): void;
  /** Another process on the same database, as far as tokens can tell. */
  withOther(work: (other: App) => Promise<void>): Promise<void>;
  /** An account and its organization. */
  connected(username?: string): Promise<{ org: Organization; account: { org_id: string; id: string } }>;
  row(id: string): Promise<SocialAccountRow>;
}

/** Without a worker, so that nothing but the test itself renews tokens. */
export function useAccounts(engine: Engine, log: Log = silentLog): AccountsWorld {
  const platform = usePlatform();
  const watched = new WatchedConnector();
  const service = useService(engine, () => ({
    command: 'api',
    env: {
      SOCIAL_API_URL: platform.url,
      SOCIAL_CLIENT_KEY: CLIENT.client_key,
      SOCIAL_CLIENT_SECRET: CLIENT.client_secret,
    },
    connector: watched.wrap,
    log,
  }));
  afterEach(async () => {
    watched.calls = [];
    watched.instead = {};
    await platform.control('clear');
  });
  return {
    platform,
    service,
    watched,
    advance(ms) {
      service.clock.advance(ms);
      platform.clock.advance(ms);
    },
    async withOther(work) {
      const other = await openApp(service.app.config, {
        clock: service.clock,
        log: silentLog,
        connector: watched.wrap,
      });
      await work(other).finally(() => other.close());
    },
    async connected(username) {
      const org = await service.newOrganization();
      return { org, account: { org_id: org.id, id: await org.connectAccount(username) } };
    },
    row: (id) =>
      service.app.db.read
        .selectFrom('social_accounts')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
  };
}

/** A setback of any call: it did not come to anything, and says so. */
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
