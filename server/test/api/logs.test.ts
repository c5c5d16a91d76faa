import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, useService } from '../support/service/harness.js';
import { Browser, newPerson, PASSWORD, tokenIn } from '../support/service/people.js';
import { assertProblem, publish, published, readPost, readyPost } from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

const HANG_MS = 60_000;
const POSTS = '/api/v1/posts';
/** As pino numbers its levels. */
const [INFO, WARN, ERROR] = [30, 40, 50];

interface Line {
  level: number;
  msg: string;
  request_id?: string;
  method?: string;
  path?: string;
  status?: number;
  org_id?: string;
  user_id?: string;
  err?: { message: string; stack?: string };
  code?: string;
}

/** A log in memory, with every line that the service writes. */
function memoryLog() {
  const lines: Line[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const requestLines = ({ headers }: Answer) =>
    lines.filter(({ msg, request_id }) => msg === 'request' && request_id === headers.get('x-request-id'));

  /** The line of an answered request. It is written just after the response. */
  async function lineOf(answer: Answer): Promise<Line> {
    const giveUpAt = performance.now() + HANG_MS;
    while (requestLines(answer).length === 0) {
      assert.ok(performance.now() < giveUpAt, 'the request was never logged');
      await delay(5);
    }
    return requestLines(answer)[0] as Line;
  }
  return { lines, log, lineOf, requestLines, text: () => JSON.stringify(lines) };
}

onEngines('sqlite', 'the log', (engine) => {
  const memory = memoryLog();
  const service = useService(engine, { log: memory.log });

  it('has one line per request, with its id, method, path and status', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const requests: [method: string, path: string, body?: unknown][] = [
      ['GET', '/healthz'],
      ['GET', POSTS],
      ['POST', POSTS, { title: 'A post' }],
      ['POST', POSTS, {}],
      ['PATCH', `${POSTS}/${id}`, { title: 'New' }],
      ['DELETE', `${POSTS}/${id}`],
      ['GET', `${POSTS}/${id}`],
      ['PUT', POSTS, {}],
      ['GET', '/nowhere'],
    ];
    const answers: Answer[] = [];
    for (const [method, path, body] of requests) {
      const answer = await org.call(method, path, body);
      const line = await memory.lineOf(answer);
      assert.equal(line.method, method);
      assert.equal(line.path, path);
      assert.equal(line.status, answer.status);
      answers.push(answer);
    }
    for (const answer of answers) assert.equal(memory.requestLines(answer).length, 1);
    assert.equal((await memory.lineOf(answers[1] as Answer)).org_id, org.id);
  });

  it('has a line even for a URL that is not properly encoded', async () => {
    const answer = await service.request('GET', `${POSTS}/%zz`);
    // Every line about the first request was written before the second was answered.
    await memory.lineOf(await service.request('GET', '/healthz'));
    const [line] = memory.requestLines(answer);
    assert.equal(line?.status, 400);
  });

  it('names the person of a session, and never contains a password, an email, a cookie or the token of a link', async () => {
    const org = await service.newOrganization();
    const { id, email, browser } = await newPerson(service, org.id, 'owner', { withPassword: true });
    const visitor = new Browser(service.url);
    const post = (path: string, body: object) => visitor.call('POST', `/api/v1/auth/${path}`, body);
    const mine = await browser.call('GET', '/api/v1/me');
    assert.equal((await memory.lineOf(mine)).user_id, id);
    const invited = await browser.call('POST', '/api/v1/invitations', { role: 'viewer' });
    const token = tokenIn(invited.json.data.url);
    const answers = [
      mine,
      invited,
      await post('sign-in', { email, password: 'a-wrong-password' }),
      await post('enter', { token: 'a-token-of-a-link' }),
      await post('accept', { token, name: 'a-name', email, password: 'a-new-password' }),
      await post('sign-in', { email, password: PASSWORD }),
    ];
    for (const answer of answers) await memory.lineOf(answer);
    const secrets = [email, token, browser.token, visitor.token, PASSWORD];
    for (const secret of [...secrets, 'a-wrong-password', 'a-new-password', 'a-token-of-a-link', 'a-name'])
      assert.ok(!memory.text().includes(secret), secret);
  });

  it('never contains a key, a body, a query string or the Authorization header', async () => {
    const org = await service.newOrganization();
    const send = (raw: string, type: string) =>
      service.request('POST', POSTS, { key: org.key, raw, headers: { 'content-type': type } });
    const issued = await org.call(
      'POST',
      '/api/v1/keys',
      { name: 'secret-name' },
      { 'idempotency-key': 'k' },
    );
    const mistyped = `${org.key.slice(0, -1)}${org.key.endsWith('0') ? '1' : '0'}`;
    const answers = [
      issued,
      await org.call('POST', '/api/v1/keys', { name: 'secret-name' }, { 'idempotency-key': 'k' }),
      await org.call('POST', POSTS, { title: 'secret-title', caption: 'secret-caption' }),
      await org.call('POST', POSTS, { title: 'secret-title', 'secret-field': 'secret-value' }),
      await org.call('POST', POSTS, { title: 'secret-title', social_account_id: org.id }),
      await send('{"title":"secret-title"', 'application/json'),
      await send('secret-title', 'text/plain'),
      await send(`{"title":"secret-title${'x'.repeat(1024 * 1024)}"}`, 'application/json'),
      await org.call('GET', `${POSTS}?q=secret-query`),
      await org.call('GET', `${POSTS}?secret-parameter=secret-query`),
      await service.request('GET', '/nowhere?token=secret-query'),
      await service.request('PUT', `${POSTS}?token=secret-query`),
      await service.request('GET', POSTS, { key: mistyped }),
      await service.request('GET', POSTS, { headers: { authorization: 'Basic secret-basic' } }),
      await service.request('GET', '/api/admin/v1/organizations', { key: 'secret-token' }),
      await service.request('GET', '/api/admin/v1/organizations', { key: ADMIN_TOKEN }),
      await service.request('GET', '/healthz', { headers: { cookie: 'session=secret-cookie' } }),
    ];
    for (const answer of answers) await memory.lineOf(answer);
    await service.request('GET', '/%zz?token=secret-query');
    await memory.lineOf(await service.request('GET', '/healthz'));
    const text = memory.text();
    for (const word of ['secret-', 'Bearer', org.key, issued.json.data.key, mistyped, ADMIN_TOKEN])
      assert.ok(!text.toLowerCase().includes(word.toLowerCase()), word);
  });
});

onEngines('sqlite', 'the log of an internal error', (engine) => {
  const memory = memoryLog();
  const service = useService(engine, { log: memory.log });

  /** From now on the database refuses every new post, for a reason that no rule of the service foresees. */
  async function refuseNewPosts(): Promise<void> {
    const refusal =
      engine === 'postgres'
        ? 'alter table posts add constraint no_more check (created_at < 0) not valid'
        : `create trigger no_more before insert on posts begin select raise(abort, 'no more'); end`;
    await service.app.db.withMigrationLock((_tx, run) => run(refusal));
  }

  it('has the request id and the cause', async () => {
    const org = await service.newOrganization();
    await refuseNewPosts();
    const answer = await org.call('POST', POSTS, { title: 'secret-title', caption: 'secret-caption' });
    assert.equal(answer.status, 500);
    assert.equal((await memory.lineOf(answer)).status, 500);
    const failure = memory.lines.find(
      ({ err, request_id }) => err !== undefined && request_id === answer.json.request_id,
    );
    assert.match(failure?.err?.message ?? '', /no.more/);
    assert.equal(failure?.level, ERROR);
    assert.match(failure?.err?.stack ?? '', /\n +at /);
  });

  it('contains neither the key nor anything of the body', async () => {
    const org = await service.newOrganization();
    const answer = await org.call(
      'POST',
      POSTS,
      { title: 'secret-title', caption: 'secret-caption', hashtags: '#secret-hashtag' },
      { 'idempotency-key': 'k' },
    );
    assert.equal(answer.status, 500);
    await memory.lineOf(answer);
    const text = memory.text();
    for (const word of [org.key, 'secret-', 'Bearer'])
      assert.ok(
        !text.includes(word),
        `${word} in ${text.slice(text.indexOf(word) - 200, text.indexOf(word) + 50)}`,
      );
  });
});

onEngines('sqlite', 'the log of an expected refusal', (engine) => {
  const memory = memoryLog();
  const world = useTidyWorld(engine, { env: { SOCIAL_INITS_PER_MINUTE: '1' }, log: memory.log });

  beforeEach(() => void memory.lines.splice(0));

  /** One line says why, at this level, and no line of the whole test reports an error or has a stack. */
  async function assertCalm(answer: Answer, level: number): Promise<void> {
    await memory.lineOf(answer);
    const logged = memory.lines.filter(
      ({ msg, request_id }) => msg !== 'request' && request_id === answer.json.request_id,
    );
    assert.deepEqual(
      logged.map((line) => [line.level, line.code]),
      [[level, answer.json.code]],
    );
    assertNoFault();
  }

  function assertNoFault(): void {
    assert.deepEqual(
      memory.lines.filter((line) => line.level >= ERROR),
      [],
    );
    assert.ok(!memory.text().includes('"stack"'));
  }

  it('is an info line without a stack for a request that pacing refuses', async () => {
    const { org, accountId } = await world.creator();
    await published(org, await readyPost(org), accountId);
    const answer = await publish(org, await readyPost(org), accountId);
    assertProblem(answer, 503, 'account_paced');
    await assertCalm(answer, INFO);
  });

  for (const faults of [
    { on: 'init', kind: 'http_500' },
    { on: 'init', kind: 'http_429' },
    { on: 'creator_info', kind: 'reset_before' },
  ])
    it(`is a warn line without a stack when the platform fails: ${faults.kind} at ${faults.on}`, async () => {
      const { org, accountId } = await world.creator();
      await world.platform.control('faults', faults);
      const answer = await publish(org, await readyPost(org), accountId);
      assertProblem(answer, 503, 'platform_unavailable');
      await assertCalm(answer, WARN);
    });

  it('is a warn line without a stack when the answer of the platform is lost', async () => {
    const { org, accountId } = await world.creator();
    await world.loseAnswerAfterFetch();
    const answer = await publish(org, await readyPost(org), accountId);
    assertProblem(answer, 504, 'platform_timeout');
    await assertCalm(answer, WARN);
  });

  it('reports no error when a worker meets an outage of the platform, or has to wait for pacing', async () => {
    const { org, accountId } = await world.creator();
    const ids = [await world.scheduledPost(org, accountId), await world.scheduledPost(org, accountId)];
    await world.platform.control('faults', { on: 'init', kind: 'http_500' });
    world.advance(HOUR_MS);
    await world.runOnce();
    const retries = await Promise.all(ids.map(async (id) => (await readPost(org, id)).publish_retries));
    assert.deepEqual(retries.sort(), [0, 1]);
    assertNoFault();
  });
});
