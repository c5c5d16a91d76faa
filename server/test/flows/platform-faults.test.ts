// Every fault of the platform at every call, for "publish now" and for the schedule, as a table: the required outcome, and
// that nothing is ever published twice.
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { SlideProxy } from '../support/platform/slide-proxy.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

const CALLS = ['token', 'creator_info', 'init slides', 'init video', 'upload', 'status'] as const;
type Call = (typeof CALLS)[number];

const KINDS = ['hang', 'reset_before', 'reset_after', 'http_500', 'http_429', 'slow'] as const;
type Kind = (typeof KINDS)[number];

interface Row {
  /** The response to publish-now, and the states of the post and its attempt afterwards. */
  now: [status: number, standing: string];
  /** The states of a scheduled post and its attempt after the run that met the fault. */
  schedule: string;
  /** How it ends: once on the platform, or there with an outcome that a member has to resolve. */
  ends: 'published' | 'unknown' | 'published after reconnecting';
}

const ACCEPTED = 'posted accepted';
const FINE: Row = { now: [200, ACCEPTED], schedule: ACCEPTED, ends: 'published' };
/** Certainly nothing was published: it is retried. */
const AGAIN: Row = { now: [503, 'draft failed'], schedule: 'scheduled failed', ends: 'published' };
/** The slides were fetched, so the post may be online: only a member can tell. */
const UNKNOWN: Row = { now: [504, 'publishing unknown'], schedule: 'publishing unknown', ends: 'unknown' };
/** The only refresh token was used up by an answer that never came. */
const ROTATED: Row = { ...AGAIN, ends: 'published after reconnecting' };

const TABLE: Record<Call, Record<Kind, Row>> = {
  token: {
    hang: ROTATED,
    reset_before: AGAIN,
    reset_after: ROTATED,
    http_500: AGAIN,
    http_429: AGAIN,
    slow: FINE,
  },
  creator_info: {
    hang: AGAIN,
    reset_before: AGAIN,
    reset_after: AGAIN,
    http_500: AGAIN,
    http_429: AGAIN,
    slow: FINE,
  },
  'init slides': {
    hang: UNKNOWN,
    reset_before: AGAIN,
    reset_after: UNKNOWN,
    http_500: AGAIN,
    http_429: AGAIN,
    slow: FINE,
  },
  'init video': {
    hang: AGAIN,
    reset_before: AGAIN,
    reset_after: AGAIN,
    http_500: AGAIN,
    http_429: AGAIN,
    slow: FINE,
  },
  // The request that waits for "publish" gets its response, and the same upload continues.
  upload: { hang: FINE, reset_before: FINE, reset_after: FINE, http_500: FINE, http_429: FINE, slow: FINE },
  status: { hang: FINE, reset_before: FINE, reset_after: FINE, http_500: FINE, http_429: FINE, slow: FINE },
};

onEngines('sqlite', 'A platform with a fault', (engine) => {
  /** Delays the answer to an init until the platform has fetched the slides, so that the order is not left to chance. */
  let untilFetched: (() => Promise<void>) | null = null;
  const world = useWorld(engine, {
    connector: (real) => ({
      ...real,
      async submit(...given) {
        const outcome = await real.submit(...given);
        if (outcome.kind === 'unknown') await untilFetched?.();
        return outcome;
      },
    }),
  });
  const gate = new SlideProxy(world);
  afterEach(async () => {
    untilFetched = null;
    await world.platform.control('clear');
  });

  const isFetched = async (postId: string) =>
    (await world.attempts(postId)).some(({ fetched_at }) => fetched_at !== null);

  /** A ready post, and the fault it will meet. */
  async function arrange(call: Call, kind: Kind) {
    const creator = await world.creator();
    const type = call === 'init slides' || call === 'status' ? 'slides' : 'video';
    const id = await world.post(creator, type);
    const on = call.split(' ')[0];
    const order = () => world.platform.control('faults', { on, kind, ms: 20 });
    const isAccepted = call === 'init slides' && TABLE[call][kind].ends === 'unknown';
    if (isAccepted) untilFetched = () => until('the slides are fetched', () => isFetched(id));
    if (call === 'token') await world.platform.control('expire_tokens', { username: creator.username });
    /** Runs it, and moves the clock to the deadline if a call hangs. */
    const meet = async <T>(work: () => Promise<T>): Promise<T> => {
      await order();
      const done = work();
      return kind === 'hang' ? world.cutAtFault(done, async () => !isAccepted || isFetched(id)) : done;
    };
    return { creator, id, meet };
  }

  /** The calls that come after the request, or the run, that sent the post. */
  async function later(call: Call, meet: (work: () => Promise<void>) => Promise<void>) {
    if (call === 'upload')
      await meet(async () => {
        await world.engine.transfer();
        await world.engine.idle();
      });
    if (call === 'status')
      await meet(async () => {
        world.advance(STEP_MS);
        await world.engine.poll();
        await world.engine.idle();
      });
  }

  const standing = async (creator: Creator, id: string) => (await world.outcomesOf(creator, id)).join(' ');

  async function assertEnd(creator: Creator, id: string, { ends }: Row) {
    await world.finish(creator);
    if (ends === 'published after reconnecting') {
      assert.deepEqual(await world.live(creator.username), []);
      assert.match(String(await world.errorOf(creator, id)), /\(invalid_grant\)$/);
      await creator.org.connectAccount(creator.username);
      await world.finish(creator);
    }
    const [status, ...outcomes] = await world.outcomesOf(creator, id);
    const expected = ends === 'unknown' ? ['publishing', 'unknown'] : ['posted', 'published'];
    assert.deepEqual([status, outcomes.at(-1)], expected);
    assert.equal((await world.live(creator.username)).length, 1, 'it is there once');
    assert.equal(
      (await world.attempts(id)).filter(({ outcome }) => outcome === 'published').length,
      ends === 'unknown' ? 0 : 1,
    );
  }

  // On ordinary days half of the faults at each call; api/publish-faults has those at the init for "now".
  for (const call of CALLS)
    for (const kind of everyday(KINDS.length / 2, KINDS, call)) {
      const row = TABLE[call][kind];
      const isLater = call === 'upload' || call === 'status';
      const triggers = everyday(1, ['schedule', 'now'] as const, `${kind} at ${call}`);

      if (triggers.includes('schedule'))
        it(`${kind} at ${call}: a scheduled post is ${row.schedule}, and in the end ${row.ends}`, async () => {
          const { creator, id, meet } = await arrange(call, kind);
          await world.schedule(creator, id);
          const publish = async () => {
            await world.engine.publish();
            await world.engine.idle();
          };
          await (isLater ? publish() : meet(publish));
          await later(call, meet);
          if (call !== 'status') assert.equal(await standing(creator, id), row.schedule);
          await assertEnd(creator, id, row);
        });

      if (triggers.includes('now'))
        it(`${kind} at ${call}: "now" is answered ${row.now[0]}, and in the end ${row.ends}`, async () => {
          const { creator, id, meet } = await arrange(call, kind);
          const publish = () => world.publishNow(creator, id);
          const answer = await (isLater ? publish() : meet(publish));
          assert.equal(answer.status, row.now[0], answer.text);
          assert.equal(await standing(creator, id), row.now[1]);
          await later(call, async (work) => void (await meet(work)));
          if (row.ends === 'published after reconnecting') {
            assert.equal((await world.publishNow(creator, id)).status, 409);
            await creator.org.connectAccount(creator.username);
          }
          if (row.now[0] === 503) {
            world.advance(STEP_MS);
            assert.equal((await world.publishNow(creator, id)).status, 200);
          }
          await assertEnd(creator, id, { ...row, ends: row.ends === 'unknown' ? 'unknown' : 'published' });
        });
    }

  for (const kind of ['hang', 'reset_after'] as const)
    it(`${kind} at the init of slides that the platform has not fetched yet: their URLs are revoked, and the post is published later`, async () => {
      const creator = await world.creator();
      const slides = await world.scheduled(creator);
      const open = gate.closeFor(world.app);
      await world.platform.control('faults', { on: 'init', kind });
      await world.engine.publish();
      const isAccepted = async () => (await world.acceptedInits(creator.username)).length === 1;
      await (kind === 'hang' ? world.cutAtFault(world.engine.idle(), isAccepted) : world.engine.idle());
      assert.equal(await standing(creator, slides), 'scheduled failed');
      open();
      gate.isOpen = true;
      await world.finish(creator);
      assert.deepEqual(gate.answered, [410]);
      gate.answered.length = 0;
      assert.equal(await standing(creator, slides), 'posted failed published');
      assert.deepEqual(
        (await world.acceptedInits(creator.username)).map(({ status }) => status),
        ['FAILED', 'PUBLISH_COMPLETE'],
      );
    });

  it('that does not end: five retries, then the post is a draft that says why', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator, 'video');
    await world.platform.control('faults', { on: 'init', kind: 'http_500', times: 100 });
    for (let round = 0; round < 8; round++) {
      await world.runOnce();
      world.advance(STEP_MS);
    }
    assert.equal(await standing(creator, id), `draft${' failed'.repeat(6)}`);
    assert.match(String(await world.errorOf(creator, id)), /\(internal_error\)$/);
    assert.deepEqual(await world.acceptedInits(creator.username), []);
  });
});
