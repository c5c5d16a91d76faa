// Which clock counts, what happens to posts whose slot passed while no worker ran, and who wins when a member and the
// scheduler act on the same post at the same moment.
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openApp } from '../../src/open-app.js';
import { createEngine } from '../../src/publishing/schedule/engine.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { inParallel } from '../support/runner/in-parallel.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { setPost } from '../support/service/posts.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The columns of a booked slot, but for its time. */
const due = ({ accountId }: Creator) =>
  ({ status: 'scheduled', social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' }) as const;

describe('A host whose clock is wrong (postgres)', () => {
  const world = useWorld('postgres');

  for (const [title, skewMs] of [
    ['two hours ahead', 2 * HOUR_MS],
    ['two hours behind', -2 * HOUR_MS],
  ] as const)
    it(`${title} publishes by the database's clock: nothing early, nothing late`, async () => {
      const creator = await world.creator();
      const [due, early] = [await world.post(creator), await world.post(creator)];
      const now = await world.app.db.now();
      await world.schedule(creator, due, MINUTE_MS);
      await world.schedule(creator, early, MINUTE_MS);
      await setPost(world.service, due, { scheduled_at: now - 1_000 });
      await setPost(world.service, early, { scheduled_at: now + HOUR_MS });
      // The service and the platform have clocks of their own; only code that asks the host sees this one.
      mock.timers.enable({ apis: ['Date'], now: Date.now() + skewMs });
      try {
        const app = await openApp(world.app.config, { log: silentLog });
        app.urls.publicUrl = world.app.urls.publicUrl;
        try {
          assert.ok(
            Math.abs(app.clock.now() - (await app.db.now())) < 10 * MINUTE_MS,
            'it knows the right time',
          );
          const engine = createEngine(app);
          await engine.publish();
          await engine.idle();
          mock.timers.setTime(Date.now() + 3 * HOUR_MS);
          await engine.publish();
          await engine.idle();
        } finally {
          await app.close();
        }
      } finally {
        mock.timers.reset();
      }
      assert.deepEqual((await world.outcomesOf(creator, due))[0], 'posted');
      assert.deepEqual(await world.outcomesOf(creator, early), ['scheduled']);
    });
});

onEngines('sqlite', 'A backlog after a long outage', (engine) => {
  const world = useWorld(engine);

  /** How many posts there are, and how many of them are up to six hours old. */
  const POSTS = everyday(50, 200);
  const RECENT = everyday(15, 60);

  it(`of ${POSTS} posts: up to six hours old go out, oldest first; older ones are drafts that say they were missed`, async () => {
    const creator = await world.creator();
    const first = await world.scheduled(creator, 'video');
    const now = world.now();
    // From one minute to three days, closer together where it matters.
    const ages = Array.from({ length: POSTS }, (_, n) =>
      n < RECENT
        ? Math.round(((n + 1) * 6 * HOUR_MS) / RECENT)
        : Math.round(HOUR_MS * (6 + ((n - RECENT + 1) * 66) / (POSTS - RECENT))),
    );
    assert.ok((ages.at(-1) as number) > 71 * HOUR_MS);
    const posts: { id: string; age: number }[] = [];
    await inParallel(10, ages, async (age, n) => {
      // The missed ones need no file: no code reads that far.
      const isLate = n >= RECENT;
      const id = n === 0 ? first : isLate ? await creator.org.addPost() : await world.post(creator, 'video');
      await setPost(world.service, id, { ...due(creator), scheduled_at: now - age + 30_000 });
      posts[n] = { id, age };
    });
    const oldestFirst = posts.toReversed();
    const begun = async () =>
      new Set((await statusesOf(creator)).filter(([, status]) => status !== 'scheduled').map(([id]) => id));
    for (let round = 0; ; round++) {
      await world.engine.publish();
      await world.engine.idle();
      const done = await begun();
      // Every started post is older than every post that still waits.
      assert.deepEqual(new Set(oldestFirst.slice(0, done.size).map(({ id }) => id)), done, `run ${round}`);
      if (done.size === POSTS) break;
      assert.ok(round < POSTS, 'it never ends');
    }
    const statuses = new Map(await statusesOf(creator));
    for (const { id, age } of posts)
      assert.equal(
        statuses.get(id),
        age - 30_000 > 6 * HOUR_MS ? 'draft' : 'posted',
        `${age / HOUR_MS} hours`,
      );
    const missed = posts.at(-1)?.id as string;
    assert.match(String(await world.errorOf(creator, missed)), /missed its time.*\(slot_missed\)$/);
    assert.equal((await world.acceptedInits(creator.username)).length, RECENT);
  });

  const statusesOf = async ({ org }: Creator) => {
    const find = world.app.db.read.selectFrom('posts').select(['id', 'status']).where('org_id', '=', org.id);
    return (await find.execute()).map(({ id, status }) => [id, status] as const);
  };
});

onEngines('sqlite', 'A member and the scheduler acting on the same post', (engine) => {
  const world = useWorld(engine);
  const ROUNDS = everyday(12, 100);

  type Act = (creator: Creator, id: string) => Promise<{ status: number; text: string }>;
  const patch =
    (body: object): Act =>
    ({ org }, id) =>
      org.call('PATCH', `/api/v1/posts/${id}`, body);
  const unschedule = patch({ status: 'draft' });
  const archive: Act = ({ org }, id) =>
    org.call('PATCH', '/api/v1/posts/batch', { ids: [id], action: 'archive' });
  const remove: Act = async (creator, id) => {
    const given = await unschedule(creator, id);
    return given.status === 200 ? creator.org.call('DELETE', `/api/v1/posts/${id}`) : given;
  };

  /** Due posts, each handled by the engine and by a member at the same time; returns the member's responses by post. */
  async function race(creator: Creator, act: Act): Promise<Map<string, number>> {
    const ids = [await world.post(creator, 'video')];
    await inParallel(10, Array(ROUNDS - 1).fill('video' as const), async (type, n) => {
      ids[n + 1] = await world.post(creator, type);
    });
    await inParallel(10, ids, (id) =>
      setPost(world.service, id, { ...due(creator), scheduled_at: world.now() - 1_000 }),
    );
    const answers = new Map<string, number>();
    // Newest first, while the engine starts with the oldest: they meet in the middle.
    const people = async () => {
      for (let left = ids.toReversed(); left.length > 0; left = left.slice(3))
        await Promise.all(
          left.slice(0, 3).map(async (id) => {
            const { status, text } = await act(creator, id);
            assert.ok([200, 204, 409].includes(status), text);
            answers.set(id, status);
          }),
        );
    };
    let isOver = false;
    const clock = async () => {
      while (!isOver) {
        await world.engine.publish();
        await world.engine.idle();
        // SQLite answers synchronously, so the other side would never get to run.
        await setImmediate();
      }
    };
    const ended = people().finally(() => {
      isOver = true;
    });
    await Promise.all([ended, clock()]);
    for (let round = 0; round < ROUNDS; round++) {
      await world.engine.publish();
      await world.engine.idle();
    }
    assert.equal(answers.size, ROUNDS);
    return answers;
  }

  const titlesSent = async ({ username }: Creator) =>
    (await world.acceptedInits(username)).map(({ request }) => request.post_info.title);

  for (const [title, act, done, status] of [
    ['gives the slot back', unschedule, 200, 'draft'],
    ['gives the slot back and deletes the post', remove, 204, null],
  ] as const)
    it(`${ROUNDS} times, the member ${title}: an acknowledged change is never sent, and the others are refused with 409`, async () => {
      const creator = await world.creator();
      const answers = await race(creator, act);
      for (const [id, answer] of answers) {
        const attempts = await world.attempts(id);
        assert.equal(attempts.length, answer === done ? 0 : 1, String(answer));
        const { json } = await creator.org.call('GET', `/api/v1/posts/${id}`);
        if (answer === done) assert.equal(json.data?.status ?? null, status);
        else assert.equal(json.data.status, 'posted');
      }
      const refused = [...answers.values()].filter((answer) => answer === 409).length;
      assert.equal((await world.acceptedInits(creator.username)).length, refused);
    });

  it(`${ROUNDS} times, the member archives: a post whose attempt had not started is never sent`, async () => {
    const creator = await world.creator();
    const answers = await race(creator, archive);
    let sent = 0;
    for (const [id, answer] of answers) {
      assert.equal(answer, 200);
      assert.equal((await world.outcomesOf(creator, id))[0], 'archived');
      sent += (await world.attempts(id)).length;
    }
    assert.equal((await world.acceptedInits(creator.username)).length, sent);
  });

  it(`${ROUNDS} times, the member edits: sent as acknowledged, or the edit is refused and the post is sent as it was`, async () => {
    const creator = await world.creator();
    const captioned = patch({ caption: 'After' });
    const answers = await race(creator, captioned);
    const edited = [...answers.values()].filter((answer) => answer === 200).length;
    const sent = await titlesSent(creator);
    assert.equal(sent.length, ROUNDS);
    assert.equal(sent.filter((text) => text === 'After').length, edited);
    for (const [id, answer] of answers) {
      const [attempt] = await world.attempts(id);
      const { draft } = JSON.parse(attempt?.snapshot ?? '');
      assert.equal(draft.caption, answer === 200 ? 'After' : null);
    }
    world.advance(STEP_MS);
  });
});
