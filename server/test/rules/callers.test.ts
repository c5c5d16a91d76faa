// Each route and each kind of caller: who is admitted, and what the others are told. A route without a line fails.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { ACCESS } from '../../src/request/access.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { anotherSession, newPerson, type TestPerson } from '../support/service/people.js';

type Refusal =
  | 'unauthorized'
  | 'forbidden'
  | 'reauthentication_required'
  | 'second_factor_required'
  | 'network_not_allowed';
/** `in`: whatever becomes of the request then, it is not refused for its caller. */
type Answer = 'in' | Refusal;

const CALLERS = [
  'a session whose proof is too old',
  'a session with a proof',
  'a session without the required factor',
  'a key',
  'a key from a foreign network',
] as const;

const LACKS = 'second_factor_required';
const ASKED = 'reauthentication_required';
const PEOPLE_ONLY = 'forbidden';
const FOREIGN = 'network_not_allowed';

/** What the callers above are told, in their order. */
const ANSWERS: Record<string, readonly Answer[]> = {
  'to all': ['in', 'in', 'in', 'in', 'in'],
  'to the operator': ['unauthorized', 'unauthorized', 'unauthorized', 'unauthorized', 'unauthorized'],
  'to people and keys': ['in', 'in', LACKS, 'in', FOREIGN],
  'to proved people and keys': [ASKED, 'in', LACKS, 'in', FOREIGN],
  'to people': ['in', 'in', LACKS, PEOPLE_ONLY, PEOPLE_ONLY],
  'to proved people': [ASKED, 'in', LACKS, PEOPLE_ONLY, PEOPLE_ONLY],
  // What a person needs to add the factor that the organization requires.
  'to people and keys, always': ['in', 'in', 'in', 'in', FOREIGN],
  'to people, always': ['in', 'in', 'in', PEOPLE_ONLY, PEOPLE_ONLY],
  'to proved people, always': [ASKED, 'in', 'in', PEOPLE_ONLY, PEOPLE_ONLY],
};

/** Each line: to whom the routes are open. */
const LINES: Record<string, string> = {
  'to people and keys, always': 'GET /api/v1/me',
  'to people, always': `
    PATCH /api/v1/me
    POST /api/v1/auth/sign-out
    POST /api/v1/auth/password
    PATCH /api/v1/auth/profile
    GET /api/v1/auth/sessions
    DELETE /api/v1/auth/sessions
    DELETE /api/v1/auth/sessions/:id
    POST /api/v1/auth/confirm
    GET /api/v1/auth/factors
    GET /api/v1/auth/factors/:id`,
  'to proved people, always': `
    POST /api/v1/auth/factors
    POST /api/v1/auth/factors/:id/confirm
    DELETE /api/v1/auth/factors/:id
    POST /api/v1/auth/recovery-codes`,
  'to proved people': `
    DELETE /api/v1/members/:id/sessions
    POST /api/v1/members/:id/reset-link`,
  'to proved people and keys': `
    DELETE /api/v1/members/:id
    POST /api/v1/webhooks
    POST /api/v1/webhooks/:id/rotate
    DELETE /api/v1/social-accounts/:id
    POST /api/v1/keys`,
  'to people and keys': `
    PATCH /api/v1/organization
    GET /api/v1/members
    GET /api/v1/members/:id
    PATCH /api/v1/members/:id
    GET /api/v1/invitations
    POST /api/v1/invitations
    GET /api/v1/invitations/:id
    DELETE /api/v1/invitations/:id
    GET /api/v1/audit
    GET /api/v1/posts
    POST /api/v1/posts
    GET /api/v1/posts/counts
    GET /api/v1/posts/export
    PATCH /api/v1/posts/batch
    POST /api/v1/posts/bulk
    POST /api/v1/posts/import
    GET /api/v1/posts/:id
    PATCH /api/v1/posts/:id
    DELETE /api/v1/posts/:id
    GET /api/v1/attention
    GET /api/v1/labels
    POST /api/v1/labels
    GET /api/v1/labels/:id
    PATCH /api/v1/labels/:id
    DELETE /api/v1/labels/:id
    GET /api/v1/snippets
    POST /api/v1/snippets
    GET /api/v1/snippets/:id
    PATCH /api/v1/snippets/:id
    DELETE /api/v1/snippets/:id
    POST /api/v1/posts/:id/duplicate
    GET /api/v1/posts/:id/assets
    POST /api/v1/posts/:id/assets
    PATCH /api/v1/posts/:id/assets
    DELETE /api/v1/posts/:id/assets
    POST /api/v1/posts/:id/assets/complete
    GET /api/v1/posts/:id/uploads/:upload_id
    POST /api/v1/posts/:id/uploads/:upload_id/complete
    DELETE /api/v1/posts/:id/uploads/:upload_id
    POST /api/v1/posts/:id/assets/import
    POST /api/v1/posts/:id/publish
    GET /api/v1/posts/:id/publish-status
    GET /api/v1/posts/:id/preflight
    POST /api/v1/posts/:id/resolve
    GET /api/v1/posts/:id/dispatches
    GET /api/v1/dispatches
    GET /api/v1/dispatches/export
    GET /api/v1/dispatches/:id
    GET /api/v1/events
    GET /api/v1/webhooks
    GET /api/v1/webhooks/:id
    PATCH /api/v1/webhooks/:id
    DELETE /api/v1/webhooks/:id
    POST /api/v1/webhooks/:id/test
    POST /api/v1/webhooks/:id/recover
    GET /api/v1/webhooks/:id/deliveries
    POST /api/v1/webhooks/:id/deliveries/:delivery_id/replay
    GET /api/v1/analytics
    GET /api/v1/analytics/timeline
    GET /api/v1/social-accounts
    POST /api/v1/social-accounts/connect
    GET /api/v1/social-accounts/:id
    GET /api/v1/social-accounts/:id/creator-info
    PATCH /api/v1/social-accounts/:id
    POST /api/v1/social-accounts/:id/unblock
    GET /api/v1/keys
    GET /api/v1/keys/:id
    PATCH /api/v1/keys/:id
    DELETE /api/v1/keys/:id
    POST /mcp`,
  'to all': `
    GET /api/v1/auth
    POST /api/v1/auth/sign-up
    POST /api/v1/auth/sign-in
    POST /api/v1/auth/enter
    POST /api/v1/auth/second-factor
    POST /api/v1/auth/forgot
    POST /api/v1/auth/reset
    POST /api/v1/auth/invitation
    POST /api/v1/auth/accept`,
};

/** Bodies that make a route ask for a proof that does not always ask; see api/step-up.test.ts for those that need more than a body. */
const ASKS_FOR: Record<string, object> = {
  'PATCH /api/v1/organization': { second_factor: 'optional' },
  'POST /api/v1/invitations': { role: 'owner' },
  'POST /api/v1/auth/password': { current_password: 'of no use', new_password: 'a rather long one' },
};

function lineOf(route: string): string {
  const line = Object.keys(LINES).find((name) =>
    (LINES[name] as string).split('\n').some((each) => each.trim() === route),
  );
  if (line !== undefined) return line;
  const url = route.split(' ')[1] as string;
  if (url.startsWith('/api/admin/')) return 'to the operator';
  // Pages, files, the sandbox and what the platform calls: they know no callers.
  if (!url.startsWith('/api/')) return 'to all';
  throw new Error(`${route} is new: add it to LINES, with those to whom it is open`);
}

onEngines('sqlite', 'The callers of each route', (engine) => {
  const service = useService(engine, { env: { TRUST_PROXY: 'loopback' } });
  const KNOWN = '203.0.113.7';
  const FOREIGN_ADDRESS = '198.51.100.7';

  async function proofOf(headers: Record<string, string>, proved_at: number | null): Promise<void> {
    const token = headers.cookie?.split('=')[1] ?? '';
    const session = await service.app.sessionCache.find(token);
    assert.ok(session);
    await service.app.db.transact((tx) =>
      tx.updateTable('sessions').set({ proved_at }).where('id', '=', session.sessionId).execute(),
    );
    service.app.sessionCache.clear();
  }

  /** The headers of each caller; a session is a new one each time, because routes may end it. */
  async function headersOf(
    caller: (typeof CALLERS)[number],
    { owner, lacking, key }: { owner: TestPerson; lacking: TestPerson; key: string },
  ): Promise<Record<string, string>> {
    switch (caller) {
      case 'a key':
        return { authorization: `Bearer ${key}`, 'x-forwarded-for': KNOWN };
      case 'a key from a foreign network':
        return { authorization: `Bearer ${key}`, 'x-forwarded-for': FOREIGN_ADDRESS };
      default: {
        const person = caller === 'a session without the required factor' ? lacking : owner;
        const { headers } = (await anotherSession(service, person)).browser;
        if (caller === 'a session whose proof is too old')
          await proofOf(headers, service.clock.now() - 900_000);
        return headers;
      }
    }
  }

  async function newCast(org: Organization) {
    const owner = await newPerson(service, org.id, 'owner', { withPassword: true });
    const strict = await service.newOrganization();
    const lacking = await newPerson(service, strict.id, 'owner', { withPassword: true });
    await service.app.db.transact((tx) =>
      tx
        .updateTable('organizations')
        .set({ second_factor: 'required' })
        .where('id', '=', strict.id)
        .execute(),
    );
    const created = await org.call('POST', '/api/v1/keys', { name: 'Office', networks: [`${KNOWN}/32`] });
    return { owner, lacking, key: created.json.data.key as string };
  }

  const ask = async (route: string, headers: Record<string, string>, body?: object) => {
    const [method, url] = route.split(' ') as [string, string];
    const { status, text } = await service.request(method, url.replaceAll(/:\w+/g, randomUUID()), {
      headers,
      body,
    });
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
    return { status, code };
  };
  const REFUSALS = new Set(Object.values(ANSWERS).flat());

  it('have one line each', () => {
    for (const route of Object.keys(ACCESS)) assert.ok(lineOf(route));
    const named = Object.values(LINES).flatMap((routes) =>
      routes
        .split('\n')
        .map((route) => route.trim())
        .filter((route) => route !== ''),
    );
    assert.deepEqual([...new Set(named)].sort(), named.sort());
    for (const route of named) assert.ok(Object.hasOwn(ACCESS, route), `${route} is gone`);
  });

  it('are told what the lines say', async () => {
    const cast = await newCast(await service.newOrganization());
    const wrong: string[] = [];
    for (const route of Object.keys(ACCESS)) {
      const answers = ANSWERS[lineOf(route)] as readonly Answer[];
      for (const [i, caller] of CALLERS.entries()) {
        const { status, code } = await ask(route, await headersOf(caller, cast));
        const expected = answers[i] as Answer;
        const isRight =
          expected === 'in' ? lineOf(route) === 'to all' || !REFUSALS.has(code as Answer) : code === expected;
        if (!isRight) wrong.push(`${route}, ${caller}: ${status} ${code} instead of ${expected}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('are asked for a proof by certain bodies', async () => {
    const cast = await newCast(await service.newOrganization());
    for (const [route, body] of Object.entries(ASKS_FOR)) {
      const [old, proved] = [CALLERS[0], CALLERS[1]];
      assert.equal((await ask(route, await headersOf(old, cast), body)).code, ASKED, route);
      assert.notEqual((await ask(route, await headersOf(proved, cast), body)).code, ASKED, route);
    }
  });
});
