// Shared by the tests of people: members with sessions, written directly to the database, and browsers that keep a cookie.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { App } from '../../../src/app/app.js';
import type { Role } from '../../../src/app/scopes.js';
import { addPerson } from '../../../src/identity/auth/people.js';
import { beginSession } from '../../../src/identity/auth/sessions.js';
import { type Answer, send } from './send.js';

/** A server for a browser; a whole test service is one. */
interface Place {
  url: string;
  app: App;
}

export const PASSWORD = 'correct horse battery staple';
export const DASHBOARD = { 'x-airdate': 'dashboard' };
/** Counts for everyone, with or without a second factor. */
const PROOF = 'factor';
const VISIT = { ip: '127.0.0.1', userAgent: 'a test', gone: new AbortController().signal };

export const anEmail = () => `person.${randomBytes(6).toString('hex')}@example.com`;

/** Sends the dashboard's headers, and keeps the cookie of the response. */
export class Browser {
  cookie: string | null;
  private readonly url: string;

  constructor(url: string, cookie: string | null = null) {
    this.url = url;
    this.cookie = cookie;
  }

  get headers(): Record<string, string> {
    return { ...DASHBOARD, origin: this.url, ...(this.cookie === null ? {} : { cookie: this.cookie }) };
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await send(method, this.url + path, { body, headers: { ...this.headers, ...more } });
    const set = answer.headers.get('set-cookie');
    if (set !== null) {
      const pair = set.split(';')[0] as string;
      this.cookie = pair.endsWith('=') ? null : pair;
    }
    return answer;
  }

  /** The value of the cookie. */
  get token(): string {
    return this.cookie?.split('=')[1] ?? '';
  }
}

export interface TestPerson {
  id: string;
  orgId: string;
  email: string;
  browser: Browser;
}

let kept: Promise<string> | undefined;

/** A member with a session. Hashing is slow, so all have the same password, if any. */
export async function newPerson(
  { url, app }: Place,
  orgId: string,
  role: Role,
  { withPassword = false } = {},
): Promise<TestPerson> {
  kept ??= app.passwords.hash(PASSWORD);
  const password_hash = withPassword ? await kept : null;
  const email = anEmail();
  const name = `The ${role}`;
  const [id, token] = await app.db.transact(async (tx) => {
    const person = await addPerson(app, tx, { org_id: orgId, name, email, role, password_hash });
    return [person.id, await beginSession(app, tx, person, VISIT, PROOF)];
  });
  return { id, orgId, email, browser: new Browser(url, `airdate=${token}`) };
}

/** Another session of the same person. */
export async function anotherSession({ url, app }: Place, person: Pick<TestPerson, 'id' | 'orgId'>) {
  const ref = { org_id: person.orgId, id: person.id };
  const token = await app.db.transact((tx) => beginSession(app, tx, ref, VISIT, PROOF));
  const session = await app.sessionCache.find(token);
  assert.ok(session);
  return { id: session.sessionId, browser: new Browser(url, `airdate=${token}`) };
}

/** The token after the # of a link. */
export const tokenIn = (url: string): string => new URL(url).hash.slice(1);
