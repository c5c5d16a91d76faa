// The platform takes the slides, fetches them, shows the post, and then answers the init with something else. A fetched
// slide is evidence and outweighs the answer: nothing is sent twice, and the API states nothing untrue.

import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, it } from 'node:test';
import { Kysely } from 'kysely';
import type { Connector } from '../../src/connectors/connector.js';
import type { Database } from '../../src/db/database.js';
import type { Tables } from '../../src/db/tables.js';
import { createEngine } from '../../src/publishing/schedule/engine.js';
import {
  DRIP,
  error,
  FaultyPlatformProxy,
  type Lie,
  ok,
  PAGE,
  RESET,
  raw,
} from '../support/platform/faulty-platform-proxy.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { SlideProxy } from '../support/platform/slide-proxy.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { send } from '../support/service/send.js';
import { handleAround } from '../support/world/handle-around.js';
import { onEachCall } from '../support/world/killable-worker.js';
import { type Creator, useWorld } from '../support/world/world.js';

const HOUR_MS = 3_600_000;
const UNAUTHORIZED = error('access_token_invalid', 401);

const LIES: [title: string, lie: Lie][] = [
  ['400 invalid_params', error('invalid_params', 400)],
  ['401 access_token_invalid', UNAUTHORIZED],
  ['403 scope_not_authorized', error('scope_not_authorized', 403)],
  ['404 without a word', raw(404, '')],
  ['429 with Retry-After', error('rate_limit_exceeded', 429, '', { 'retry-after': '5' })],
  ['500 internal_error', error('internal_error', 500)],
  ['502 with a page', raw(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' })],
  ['503 temporarily_unavailable', error('temporarily_unavailable', 503, '', { 'retry-after': '5' })],
  ['200 with spam_risk', error('spam_risk')],
  ['200 without an id', ok({})],
  ['200 with a page', PAGE],
  ['200 with half of its JSON', raw(200, '{"data":{"publish_id":"p_pub_u')],
  ['a connection that is reset', RESET],
  ['one byte until the deadline', DRIP],
];

onEngines('sqlite', 'An init of slides that is answered with a lie', (engine) => {
  const liar = new FaultyPlatformProxy({
    url: () => world.platform.url,
    quiet: () => (gate.isOpen ? world.waitForPlatform(creator.username) : Promise.resolve()),
  });
  /** Wraps the service's platform calls, and runs after its reads by one value. */
  let aroundInit: ((init: () => unknown, n: number) => unknown) | null = null;
  let afterLookUp: ((value: unknown) => Promise<void>) | null = null;
  let inits = 0;
  const connector = (real: Connector) =>
    onEachCall(real, (call, given, name) => {
      if (name !== 'submit' || !aroundInit) return call(...given);
      return aroundInit(() => call(...given), ++inits);
    });
  const database = (real: Database): Database => ({
    ...real,
    read: new Kysely<Tables>(
      handleAround(real.read, async (statement, { parameters }) => {
        const result = await statement();
        if (parameters.length === 1) await afterLookUp?.(parameters[0]);
        return result;
      }),
    ),
  });
  const world = useWorld(engine, {
    env: () => ({ SOCIAL_API_URL: liar.url, SOCIAL_AUTH_URL: `${world.platform.url}/v2/auth/authorize/` }),
    connector,
    database,
  });
  const gate = new SlideProxy(world);
  let creator: Creator;
  beforeEach(async () => {
    liar.reset();
    gate.isOpen = true;
    gate.answered.length = 0;
    inits = 0;
    creator = await world.creator();
    liar.asked = [];
  });
  afterEach(() => {
    aroundInit = null;
    afterLookUp = null;
  });

  const figures = { runs: 0, twice: 0, untrue: 0 };
  after(() => process.stdout.write(`lying inits on ${engine}: ${JSON.stringify(figures)}\n`));

  /** Statements that would be untrue about a post that is publicly visible. */
  async function untrueOf(id: string): Promise<string[]> {
    const [status, ...outcomes] = await world.outcomesOf(creator, id);
    const isTrue = status === 'posted' || (status === 'publishing' && outcomes.at(-1) === 'unknown');
    return isTrue && !outcomes.includes('failed') ? [] : [[status, ...outcomes].join(' ')];
  }

  for (const [title, lie] of LIES)
    for (const trigger of everyday(1, ['now', 'schedule'] as const, title))
      it(`${title}, ${trigger}, though it is published: never sent again, and the API states nothing untrue`, async () => {
        const id = await world.post(creator);
        if (trigger === 'schedule') await world.schedule(creator, id);
        Object.assign(liar, { lies: { init: [lie] }, isTrueAllTheSame: true });
        const sent = trigger === 'now' ? world.publishNow(creator, id) : world.engine.publish();
        if (lie === DRIP) {
          await until('it is told', () => liar.told.includes(DRIP));
          world.expireDeadlines();
        }
        const answer = await sent;
        await world.engine.idle();
        const untrue = await untrueOf(id);
        if (answer && answer.status !== 504) untrue.push(`the caller was told ${answer.status}`);
        liar.lies = {};
        for (const hours of [0, 1, 3]) {
          world.advance(hours * HOUR_MS + 61_000);
          await world.runOnce();
          await world.waitForPlatform(creator.username);
        }
        untrue.push(...(await untrueOf(id)));
        const live = (await world.live(creator.username)).length;
        figures.runs++;
        if (live > 1) figures.twice++;
        if (untrue.length > 0) figures.untrue++;
        assert.deepEqual({ live, untrue }, { live: 1, untrue: [] });
        assert.match(String(await world.errorOf(creator, id)), /^The outcome is unknown: .*\(\w+\)$/);
        assert.equal(liar.inits, 1);
      });

  it('401, and nothing was fetched yet: repeated with new URLs, and the old ones are revoked', async () => {
    const id = await world.post(creator);
    const open = gate.closeFor(world.app);
    Object.assign(liar, { lies: { init: [UNAUTHORIZED] }, isTrueAllTheSame: true });
    const nonces: unknown[] = [];
    aroundInit = async (init, n) => {
      nonces.push((await world.attempts(id))[0]?.nonce);
      if (n === 2) liar.lies = {};
      return init();
    };
    assert.equal((await world.publishNow(creator, id)).status, 200);
    open();
    assert.equal(new Set(nonces).size, 2);
    gate.isOpen = true;
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    assert.deepEqual(
      (await world.acceptedInits(creator.username)).map(({ status }) => status),
      ['FAILED', 'PUBLISH_COMPLETE'],
    );
    const late = await send('GET', `${world.service.url}/media/${nonces[0]}/1.jpg`, {});
    assert.ok([404, 410].includes(late.status), `${late.status}`);
  });

  it('401, and a slide is requested at the moment its URL is replaced: not served, not recorded', async () => {
    const id = await world.post(creator);
    liar.lies = { init: [UNAUTHORIZED] };
    const [lookedUp, replaced, fetched] = [new Latch(), new Latch(), new Latch()];
    let picture: ReturnType<typeof send> | undefined;
    let recorded: unknown;
    aroundInit = async (init, n) => {
      const [attempt] = await world.attempts(id);
      if (n === 1) {
        const { nonce } = attempt ?? {};
        afterLookUp = async (value) => {
          if (value !== nonce) return;
          afterLookUp = null;
          lookedUp.open();
          await replaced.opened;
        };
        picture = send('GET', `${world.service.url}/media/${nonce}/1.jpg`, {});
        await lookedUp.opened;
        return init();
      }
      liar.lies = {};
      replaced.open();
      assert.equal((await picture)?.status, 410);
      recorded = (await world.attempts(id))[0]?.fetched_at;
      fetched.open();
      return init();
    };
    assert.equal((await world.publishNow(creator, id)).status, 200);
    await fetched.opened;
    assert.equal(recorded, null);
    await world.finish(creator);
    assert.equal((await world.live(creator.username)).length, 1);
  });

  it('401, and a slide was fetched while the token was renewed: not repeated, unknown', async () => {
    const id = await world.post(creator);
    liar.lies = { init: [UNAUTHORIZED] };
    aroundInit = async (init) => {
      const answer = await init();
      const [attempt] = await world.attempts(id);
      const { status } = await send('GET', `${world.service.url}/media/${attempt?.nonce}/1.jpg`, {});
      assert.equal(status, 200);
      return answer;
    };
    assert.equal((await world.publishNow(creator, id)).status, 504);
    assert.deepEqual(await world.outcomesOf(creator, id), ['publishing', 'unknown']);
    assert.equal(liar.inits, 1);
  });

  it('401, and the attempt was taken over while the token was renewed: not repeated', async () => {
    const id = await world.post(creator);
    liar.lies = { init: [UNAUTHORIZED] };
    aroundInit = async (init, n) => {
      const answer = await init();
      if (n > 1) return answer;
      liar.lies = {};
      const other = await world.otherApp();
      try {
        world.advance(world.app.config.publishing.leaseMs + 1);
        await world.runOnce(createEngine(other));
      } finally {
        await other.close();
      }
      return answer;
    };
    const answer = await world.publishNow(creator, id);
    assert.equal(answer.status, 200, answer.text);
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'failed', 'published']);
    assert.deepEqual([liar.inits, (await world.acceptedInits(creator.username)).length], [2, 1]);
  });
});
