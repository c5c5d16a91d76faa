// Webhooks arrive at least once, in order and without a gap, wherever a worker is killed.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, before, it } from 'node:test';
import { killableProgram } from '../support/programs/joined-programs.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type Organization, TEST_KEY, useService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';
import { ALLOW, addWebhook, Receiver, sendAll } from '../support/service/webhooks.js';

const PROGRAM = killableProgram('webhook-worker');
const MINUTE_MS = 60_000;

/** The statements to strike at, from 1 to so many. */
function choose(statements: number): readonly number[] {
  // In the fan-out, around the lease, around the settlement.
  const few = [0.1, 0.4, 0.8].map((share) => Math.ceil(share * statements));
  return everyday(
    few,
    Array.from({ length: statements }, (_, i) => i + 1),
  );
}

onEngines('sqlite', 'A worker that is killed while it sends webhooks', (engine) => {
  const service = useService(engine, { ...WITHOUT_WORKER, env: { ...WITHOUT_WORKER.env, ...ALLOW } });
  const receiver = new Receiver();
  let aheadMs = 0;
  before(() => receiver.start());
  after(() => receiver.stop());

  /** Returns how many statements it ran, or null if it was killed. */
  async function work(fatal: number): Promise<number | null> {
    const { dataDir, databaseUrl } = service.app.config;
    const child = fork(PROGRAM, [String(fatal), String(aheadMs)], {
      env: {
        PATH: process.env.PATH,
        ...WITHOUT_WORKER.env,
        ...ALLOW,
        PUBLIC_URL: 'http://127.0.0.1:9',
        DATA_DIR: dataDir,
        ENCRYPTION_KEY: TEST_KEY,
        ALIVE_INTERVAL_MS: '600000',
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      },
    });
    let statements: number | null = null;
    child.on('message', (n: number) => {
      statements = n;
    });
    const [code, signal] = await once(child, 'exit');
    assert.ok(code === 0 || signal === 'SIGKILL', `the worker ended with ${code ?? signal}`);
    return signal === 'SIGKILL' ? null : statements;
  }

  async function scenario(): Promise<{ org: Organization; post: string; other: string; id: string }> {
    receiver.received.length = 0;
    const org = await service.newOrganization();
    const { id } = await addWebhook(org, receiver.url);
    const post = await org.addPost();
    const other = await org.addPost();
    await org.call('DELETE', `/api/v1/posts/${post}`);
    return { org, post, other, id };
  }

  /** The lease of the killed worker ends, and another one goes on. */
  async function recover(): Promise<void> {
    aheadMs += 2 * MINUTE_MS;
    service.clock.advance(2 * MINUTE_MS);
    await sendAll(service);
  }

  async function check({ org, post, other, id }: Awaited<ReturnType<typeof scenario>>, at: number) {
    const typesOf = (of: string) =>
      receiver.received
        .filter(({ message }) => message.data.post_id === of)
        .map(({ message }) => message.type as string)
        .filter((type, i, all) => type !== all[i - 1]);
    assert.deepEqual(typesOf(post), ['post.created', 'post.deleted'], `statement ${at}`);
    assert.deepEqual(typesOf(other), ['post.created'], `statement ${at}`);
    const bodies = new Set(receiver.received.map(({ body }) => body));
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    assert.deepEqual([bodies.size, ids.size], [3, 3], `statement ${at}`);
    const { data } = (await org.call('GET', `/api/v1/webhooks/${id}/deliveries`)).json;
    assert.deepEqual(
      data.map(({ state }: { state: string }) => state),
      ['delivered', 'delivered', 'delivered'],
      `statement ${at}`,
    );
  }

  it('leaves no gap, breaks no order, and uses no id twice', async () => {
    const calm = await scenario();
    const statements = await work(Number.MAX_SAFE_INTEGER);
    assert.ok(statements !== null && statements > 20, `${statements} statements`);
    await check(calm, 0);
    assert.equal(receiver.received.length, 3, 'undisturbed, each is sent once');
    let killed = 0;
    let twice = 0;
    for (const at of choose(statements)) {
      const world = await scenario();
      if ((await work(at)) === null) killed++;
      await recover();
      await check(world, at);
      if (receiver.received.length > 3) twice++;
    }
    assert.ok(killed >= choose(statements).length - 2, `${killed} kills`);
    console.log(`${engine}: ${killed} kills at ${statements} statements, ${twice} repeated a message`);
  });

  it('disables an endpoint that is gone once, and tells it once', async () => {
    const calm = await scenario();
    receiver.answer = (response) => response.writeHead(410).end();
    try {
      const statements = (await work(Number.MAX_SAFE_INTEGER)) ?? 0;
      const countDisabledEvents = async (org: Organization) =>
        (await org.call('GET', '/api/v1/events')).json.data.filter(
          ({ type }: { type: string }) => type === 'webhook.disabled',
        ).length;
      assert.equal(await countDisabledEvents(calm.org), 1);
      for (const at of choose(statements)) {
        const { org } = await scenario();
        await work(at);
        await recover();
        assert.equal(await countDisabledEvents(org), 1, `statement ${at}`);
      }
    } finally {
      receiver.answer = (response) => response.end();
    }
  });
});
