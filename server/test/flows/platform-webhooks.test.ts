// Webhooks of the platform: only signed ones count, and those only trigger a poll. Repeated, late or in any order, they
// lead to the state that the platform reports when polled.
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { signatureOf } from '@airdate/sandbox/webhooks.js';
import type { Outcome } from '../../src/connectors/connector.js';
import type { AttemptRow } from '../../src/db/tables.js';
import { CLIENT } from '../support/platform/test-platform.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { assertProblem } from '../support/service/posts.js';
import { renewTokens } from '../support/service/token-renewals.js';
import { onEachCall } from '../support/world/killable-worker.js';
import { type Creator, STEP_MS, useWorld, type WebhookOptions } from '../support/world/world.js';

const EVENT = 'post.publish.';
const KINDS = ['complete', 'failed', 'inbox_delivered', 'publicly_available'] as const;

/** The same shuffle for the same seed, so that a failure can be repeated. */
function shuffle<T>(items: T[], seed: number): T[] {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

onEngines('sqlite', 'Webhooks of the platform', (engine) => {
  /** The status that the platform reports when polled, by publish id. */
  const truths = new Map<string, Outcome>();
  let asked: string[] = [];
  const world = useWorld(engine, {
    connector: (real) =>
      onEachCall(real, (call, given, name) => {
        if (name !== 'observe') return call(...given);
        const { publishId } = given[1] as { publishId: string };
        asked.push(publishId);
        const truth = truths.get(publishId);
        return truth ? Promise.resolve(truth) : call(...given);
      }),
  });
  afterEach(() => truths.clear());

  const processing = (publishId: string): Outcome => ({
    kind: 'accepted',
    publishId,
    socialStatus: 'PROCESSING_DOWNLOAD',
  });
  const complete: Outcome = { kind: 'published', socialStatus: 'PUBLISH_COMPLETE' };
  const failed: Outcome = {
    kind: 'refused',
    code: 'spam_risk',
    reason: 'Risky (spam_risk)',
    isRepeatable: false,
  };
  const internal: Outcome = {
    kind: 'refused',
    code: 'internal',
    reason: 'Broken (internal)',
    isRepeatable: true,
  };

  /** A post that the platform has accepted and is processing. */
  async function accepted(creator: Creator): Promise<{ id: string; publish_id: string }> {
    const id = await world.scheduled(creator);
    await world.engine.publish();
    await world.engine.idle();
    await world.waitForPlatform(creator.username);
    const [attempt] = await world.attempts(id);
    const publish_id = String(attempt?.publish_id);
    truths.set(publish_id, processing(publish_id));
    return { id, publish_id };
  }

  const attemptOf = async (id: string) => (await world.attempts(id)).at(-1) as AttemptRow;
  const reconcile = async () => {
    await world.engine.poll();
    await world.engine.idle();
  };
  const hintsKept = async () =>
    (await world.app.db.read.selectFrom('platform_webhooks').select('key').execute()).length;

  const now = () => Math.floor(world.now() / 1000);
  const FORGERIES: [title: string, more: () => WebhookOptions][] = [
    ['without a signature', () => ({ signature: '' })],
    ['with another secret', () => ({ secret: 'another' })],
    ['with a signature that is none', () => ({ signature: 't=1,s=zz' })],
    ['with a changed body', () => ({ tamper: (body) => body.replace('complete', 'failed') })],
    ['with one space more', () => ({ tamper: (body) => `${body} ` })],
    [
      'with another time',
      () => ({
        signature: signatureOf(CLIENT.client_secret, now() - 10, 'x').replace(/t=\d+/, `t=${now()}`),
      }),
    ],
    ['too old by a second', () => ({ seconds: now() - 302 })],
    ['from too far ahead', () => ({ seconds: now() + 302 })],
  ];

  for (const [title, more] of FORGERIES)
    it(`${title}: 401, and nothing happens`, async () => {
      const { id, publish_id } = await accepted(await world.creator());
      const before = [await attemptOf(id), await hintsKept()];
      assertProblem(await world.webhook(`${EVENT}complete`, { publish_id }, more()), 401, 'unauthorized');
      assert.deepEqual([await attemptOf(id), await hintsKept()], before);
    });

  it('up to five minutes old are accepted; a body that is not JSON is refused even with a valid signature', async () => {
    const { publish_id } = await accepted(await world.creator());
    assert.equal(
      (await world.webhook(`${EVENT}complete`, { publish_id }, { seconds: now() - 298 })).status,
      200,
    );
    for (const raw of ['', '<html>', '[]', 'null', '\0']) {
      const headers = {
        'content-type': 'text/plain',
        'tiktok-signature': signatureOf(CLIENT.client_secret, now(), raw),
      };
      assert.equal(
        (await world.service.request('POST', '/webhooks/social', { raw, headers })).status,
        401,
        raw,
      );
    }
  });

  it('about an unknown publish_id or event: 200, and nothing happens', async () => {
    assert.equal((await world.webhook(`${EVENT}complete`, { publish_id: 'v_pub_file~v2-1.1' })).status, 200);
    assert.equal((await world.webhook('portability.download.ready', { request_id: 1 })).status, 200);
  });

  it('wake the poller once, and decide nothing: a signed lie changes nothing', async () => {
    const creator = await world.creator();
    const { id, publish_id } = await accepted(creator);
    world.advance(STEP_MS);
    await reconcile();
    const waiting = await attemptOf(id);
    assert.ok((waiting.next_at ?? 0) > world.now(), 'no poll is due');
    const seconds = now();
    assert.equal((await world.webhook(`${EVENT}complete`, { publish_id }, { seconds })).status, 200);
    assert.ok(((await attemptOf(id)).next_at ?? 0) <= world.now(), 'a poll is due now');
    asked = [];
    await reconcile();
    assert.deepEqual(asked, [publish_id]);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    const after = await attemptOf(id);
    for (let copy = 0; copy < 3; copy++)
      assert.equal((await world.webhook(`${EVENT}complete`, { publish_id }, { seconds })).status, 200);
    assert.deepEqual(await attemptOf(id), after, 'copies trigger no poll');
  });

  it('in any order and any number leave every post where the platform says it is', async () => {
    const creator = await world.creator();
    const ends = [
      complete,
      failed,
      { kind: 'in_inbox', socialStatus: 'SEND_TO_USER_INBOX' } as Outcome,
      processing('x'),
      complete,
      failed,
    ];
    const standings: Record<string, string[]> = {
      published: ['posted', 'published'],
      refused: ['draft', 'failed'],
      in_inbox: ['posted', 'in_inbox'],
      accepted: ['posted', 'accepted'],
    };
    const posts: { id: string; publish_id: string }[] = [];
    for (const _ of ends) posts.push(await accepted(creator));
    for (const [i, end] of ends.entries()) truths.set(posts[i]?.publish_id as string, end);
    const base = now();
    const events = posts.flatMap(({ publish_id }) =>
      KINDS.flatMap((kind) =>
        [1, 2, 3, 4, 5, 1, 2, 3, 1, 2].map((seconds) => ({ kind, publish_id, seconds: base - seconds })),
      ),
    );
    assert.equal(events.length, 240);
    for (const [n, { kind, publish_id, seconds }] of shuffle(events, 20_261_115).entries()) {
      const content = {
        publish_id,
        publish_type: 'DIRECT_PUBLISH',
        ...(kind === 'failed' ? { reason: 'internal' } : {}),
      };
      assert.equal((await world.webhook(EVENT + kind, content, { seconds })).status, 200);
      if (n % 20 === 0) await reconcile();
    }
    await reconcile();
    for (const [i, { id }] of posts.entries())
      assert.deepEqual(
        await world.outcomesOf(creator, id),
        standings[ends[i]?.kind as string],
        `${i}: ${ends[i]?.kind}`,
      );
    assert.equal((await hintsKept()) >= 120, true, 'each was kept once');
    assert.equal(
      (await world.acceptedInits(creator.username)).length,
      ends.length,
      'and nothing was sent again',
    );
  });

  it('of a late success after a failure: it counts if no newer attempt exists', async () => {
    const creator = await world.creator();
    const { id, publish_id } = await accepted(creator);
    truths.set(publish_id, internal);
    world.advance(STEP_MS);
    await reconcile();
    assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
    truths.set(publish_id, complete);
    await world.webhook(`${EVENT}complete`, { publish_id });
    await reconcile();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    world.advance(STEP_MS);
    await world.runOnce();
    assert.equal((await world.acceptedInits(creator.username)).length, 1, 'and it is not tried again');
  });

  it('of a late success after a failure: only the attempt records it, if a newer one exists', async () => {
    const creator = await world.creator();
    const { id, publish_id } = await accepted(creator);
    truths.set(publish_id, internal);
    world.advance(STEP_MS);
    await reconcile();
    world.advance(STEP_MS);
    await world.engine.publish();
    await world.engine.idle();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'failed', 'accepted']);
    const second = (await attemptOf(id)).publish_id as string;
    truths.set(second, failed);
    truths.set(publish_id, complete);
    await world.webhook(`${EVENT}complete`, { publish_id });
    await reconcile();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published', 'accepted']);
    world.advance(STEP_MS);
    await reconcile();
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'published', 'failed']);
  });

  it('of a late success, while the platform cannot be polled: retried until it can', async () => {
    const creator = await world.creator();
    const { id, publish_id } = await accepted(creator);
    truths.set(publish_id, failed);
    world.advance(STEP_MS);
    await reconcile();
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
    truths.set(publish_id, { kind: 'later', code: 'internal_error', reason: 'Broken (internal_error)' });
    await world.webhook(`${EVENT}complete`, { publish_id });
    await reconcile();
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
    truths.set(publish_id, complete);
    world.advance(STEP_MS);
    await reconcile();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
  });

  const openIdOf = async ({ accountId }: Creator) => {
    const find = world.app.db.read.selectFrom('social_accounts').select(['open_id', 'status']);
    return find.where('id', '=', accountId).executeTakeFirstOrThrow();
  };

  for (const isTrue of [true, false])
    it(`that access was removed: ${isTrue ? 'the next renewal finds that it is so' : 'the next renewal finds that it is not'}`, async () => {
      const creator = await world.creator();
      const { open_id } = await openIdOf(creator);
      if (isTrue) await world.platform.control('remove_authorization', { username: creator.username });
      const answer = await world.webhook('authorization.removed', { reason: 1 }, { openId: String(open_id) });
      assert.equal(answer.status, 200);
      assert.equal((await openIdOf(creator)).status, 'connected', 'a webhook decides nothing');
      await renewTokens(world.app);
      assert.equal((await openIdOf(creator)).status, isTrue ? 'reconnect_required' : 'connected');
      if (!isTrue) {
        const id = await world.scheduled(creator);
        await world.finish(creator);
        assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
      }
    });
});

onEngines('sqlite', 'The sandbox’s own webhooks', (engine) => {
  const world = useWorld(engine, {
    platform: { webhookUrl: () => `${world.service.url}/webhooks/social` },
    env: () => ({ RECONCILE_INTERVAL_MS: '3600000' }),
  });

  for (const type of ['slides', 'video'] as const)
    it(`report ${type} long before the poller would`, async () => {
      await world.platform.control('settings', { webhook_copies: 2 });
      const creator = await world.creator();
      const id = await world.scheduled(creator, type);
      await world.engine.publish();
      await world.engine.idle();
      await world.engine.transfer();
      await world.engine.idle();
      await until('it is published', async () => {
        await world.engine.poll();
        await world.engine.idle();
        return (await world.outcomesOf(creator, id))[1] === 'published';
      });
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    });
});
