// The counters always equal the counted rows, whatever happens to posts and however much at the same time.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import type { App } from '../../src/app/app.js';
import { SCOPES } from '../../src/app/scopes.js';
import { AppError } from '../../src/core/problems.js';
import type { Tx } from '../../src/db/database.js';
import { recount } from '../../src/db/recount.js';
import type { PostRow } from '../../src/db/tables.js';
import { archivePosts, unarchivePosts } from '../../src/posts/archive.js';
import { recordPostChanges } from '../../src/posts/counters.js';
import { createPost } from '../../src/posts/create.js';
import { deletePost } from '../../src/posts/delete.js';
import { listPosts } from '../../src/posts/list/list.js';
import { updatePost } from '../../src/posts/posts.js';
import { POST_TYPES } from '../../src/posts/schema.js';
import { POST_STATUSES } from '../../src/posts/state.js';
import type { CallerWithAddress } from '../../src/request/caller.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { everyday, itInProofs, onEngines } from '../support/runner/test-tiers.js';
import { type TestService, useService } from '../support/service/harness.js';

interface Side {
  caller: CallerWithAddress;
  accounts: string[];
}

/** Both organizations of a run, and every post ever created in either. */
interface World {
  app: App;
  sides: [Side, Side];
  posts: string[];
}

/** One operation; its numbers choose among the posts that exist by then. */
type Operation =
  | { do: 'create'; side: 0 | 1; type: 'slides' | 'video'; account: number | null }
  | { do: 'move'; side: 0 | 1; post: number; account: number | null }
  | { do: 'schedule'; side: 0 | 1; post: number; account: number }
  | { do: 'unschedule' | 'delete' | 'publish' | 'arrive'; side: 0 | 1; post: number }
  | { do: 'archive' | 'unarchive'; side: 0 | 1; posts: number[] };

const side = fc.constantFrom<(0 | 1)[]>(0, 1);
const post = fc.nat(30);
const maybeAccount = fc.option(fc.nat(1));
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      side,
      type: fc.constantFrom(...POST_TYPES),
      account: maybeAccount,
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ do: fc.constant('move' as const), side, post, account: maybeAccount }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ do: fc.constant('schedule' as const), side, post, account: fc.nat(1) }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      do: fc.constantFrom('unschedule' as const, 'delete', 'publish', 'arrive'),
      side,
      post,
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      do: fc.constantFrom('archive' as const, 'unarchive'),
      side,
      posts: fc.array(post, { minLength: 1, maxLength: 8 }),
    }),
    weight: 3,
  },
);

const filter = fc.record({
  statuses: fc.subarray([...POST_STATUSES]),
  type: fc.option(fc.constantFrom(...POST_TYPES)),
  account: maybeAccount,
  page: fc.integer({ min: 1, max: 3 }),
});
type Filter = typeof filter extends fc.Arbitrary<infer T> ? T : never;

onEngines('both', 'The counters of posts', (engine) => {
  const service = useService(engine);

  it('are right after each of any operations, and lists agree with counting under any filter', async () => {
    const steps = fc.array(fc.tuple(operation, filter), { minLength: 5, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const world = await newWorld(service);
        for (const [step, filter] of list) {
          await carryOut(world, step);
          assert.deepEqual(await recount(world.app.db, ['posts']), [], `after ${JSON.stringify(step)}`);
          assert.deepEqual(await recount(world.app.db, ['slots']), [], `after ${JSON.stringify(step)}`);
          for (const each of world.sides) await listsAgree(world.app, each, filter);
        }
      }),
      { numRuns: everyday(6, 15), seed: 20_261_115 },
    );
  });

  it('are right after many concurrent batches over the same posts in other orders, without a deadlock', async (t) => {
    const codes = recordErrorCodes(t);
    const world = await newWorld(service);
    const { app } = world;
    for (let i = 0; i < 24; i++)
      await carryOut(world, {
        do: 'create',
        side: 0,
        type: POST_TYPES[i % 2] as 'slides',
        account: i % 3 === 2 ? null : i % 3,
      });
    for (let i = 0; i < 24; i += 4) await carryOut(world, { do: 'arrive', side: 0, post: i });
    for (let round = 0; round < everyday(10, 20); round++) {
      const batches = fc.sample(fc.shuffledSubarray(world.posts, { minLength: 1, maxLength: 8 }), {
        numRuns: 8,
        seed: round,
      });
      await Promise.all(
        batches.map((ids, i) =>
          app.db.transact((tx) =>
            (i % 2 === 0 ? archivePosts : unarchivePosts)(app, tx, world.sides[0].caller, ids),
          ),
        ),
      );
    }
    assert.deepEqual(await recount(app.db, ['posts']), []);
    assert.deepEqual(await recount(app.db, ['slots']), []);
    assert.deepEqual(codes, [], 'transactions had to be run again');
  });

  it('are right after many concurrent requests create, change, archive and delete posts', async () => {
    const world = await newWorld(service);
    for (let i = 0; i < 10; i++)
      await carryOut(world, { do: 'create', side: 0, type: 'slides', account: null });
    for (let round = 0; round < 5; round++) {
      const steps = fc.sample(operation, { numRuns: 16, seed: round });
      await Promise.all(steps.map((step) => carryOut(world, step)));
      assert.deepEqual(await recount(world.app.db, ['posts']), []);
      assert.deepEqual(await recount(world.app.db, ['slots']), []);
    }
  });

  // Two starts of the program. The counting itself is tested above, on both engines.
  const onOne = engine === 'sqlite' ? it : itInProofs;
  onOne(
    'are checked by a command that exits with 0 when they are right and with 1, naming each, when not',
    async () => {
      const world = await newWorld(service);
      await carryOut(world, { do: 'create', side: 0, type: 'video', account: null });
      const right = await check(world.app);
      assert.equal(right.code, 0);
      // It is told no key, so it judges none.
      assert.match(right.stdout, /^All counters are right\.\nSealed with key [0-9a-f]{8}: 1 secret\.\n$/);

      const { orgId } = world.sides[0].caller;
      const falsify = (n: number) =>
        world.app.db.transact((tx) =>
          tx.updateTable('post_counters').set({ n }).where('org_id', '=', orgId).execute(),
        );
      await falsify(3);
      const wrong = await check(world.app);
      await falsify(1);
      assert.equal(wrong.code, 1);
      assert.match(wrong.stdout, new RegExp(`${orgId} draft video .*: 1 counted, but the counter says 3\\n`));
      assert.match(wrong.stdout, /1 counters are wrong/);
    },
  );
});

async function newWorld(service: TestService): Promise<World> {
  const makeSide = async (): Promise<Side> => {
    const { id, addAccount } = await service.newOrganization();
    const caller: CallerWithAddress = {
      orgId: id,
      via: 'key',
      keyId: service.app.newId(),
      name: 'A key',
      address: '127.0.0.1',
      plan: 'growth',
      trialEndsAt: null,
      quotas: null,
      scopes: new Set(SCOPES),
      madeBy: null,
    };
    return { caller, accounts: [await addAccount(), await addAccount()] };
  };
  return { app: service.app, sides: [await makeSide(), await makeSide()], posts: [] };
}

/** Runs it through the use cases. A refusal is fine too: it must leave the counters right as well. */
async function carryOut(world: World, step: Operation): Promise<void> {
  try {
    await world.app.db.transact((tx) => perform(world, tx, step));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
  }
}

async function perform({ app, sides, posts }: World, tx: Tx, step: Operation) {
  const { caller, accounts } = sides[step.side];
  const account = (index: number) => accounts[index] as string;
  const chosen = (index: number) => posts[index % Math.max(posts.length, 1)] ?? 'none';
  switch (step.do) {
    case 'create': {
      const { account: at } = step;
      const { id } = await createPost(app, tx, caller, {
        title: 'A post',
        post_type: step.type,
        ...(at === null ? {} : { social_account_id: account(at) }),
      });
      posts.push(id);
      return;
    }
    case 'move':
      await updatePost(app, tx, caller, chosen(step.post), {
        social_account_id: step.account === null ? null : account(step.account),
      });
      return;
    case 'schedule':
      await updatePost(app, tx, caller, chosen(step.post), {
        status: 'scheduled',
        scheduled_at: new Date(app.clock.now() + 3_600_000).toISOString(),
        social_account_id: account(step.account),
        privacy_level: 'SELF_ONLY',
      });
      return;
    case 'unschedule':
      await updatePost(app, tx, caller, chosen(step.post), { status: 'draft' });
      return;
    case 'delete':
      return deletePost(app, tx, caller, chosen(step.post));
    case 'publish':
      return change(tx, caller, chosen(step.post), { status: 'publishing', scheduled_at: null });
    case 'arrive':
      return change(tx, caller, chosen(step.post), { status: 'posted', posted_at: app.clock.now() });
    case 'archive':
      await archivePosts(app, tx, caller, step.posts.map(chosen));
      return;
    case 'unarchive':
      await unarchivePosts(app, tx, caller, step.posts.map(chosen));
      return;
  }
}

/** What publishing does to a post's row: lock, change, count. */
async function change(
  tx: Tx,
  { orgId }: CallerWithAddress,
  id: string,
  fields: Partial<Pick<PostRow, 'status' | 'posted_at' | 'scheduled_at'>>,
): Promise<void> {
  if (id === 'none') return;
  const row = tx.selectFrom('posts').selectAll().where('org_id', '=', orgId).where('id', '=', id).forUpdate();
  const before = await row.executeTakeFirst();
  if (!before) return;
  const after = await tx
    .updateTable('posts')
    .set(fields)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordPostChanges(tx, [{ before, after }]);
}

async function listsAgree(app: App, { caller, accounts }: Side, { statuses, type, account, page }: Filter) {
  const accountId = account === null ? null : (accounts[account] as string);
  const all = await app.db.read.selectFrom('posts').selectAll().where('org_id', '=', caller.orgId).execute();
  const matching = all
    .filter((row) => statuses.length === 0 || statuses.includes(row.status))
    .filter((row) => type === null || row.post_type === type)
    .filter((row) => accountId === null || row.social_account_id === accountId)
    .sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
  const perPage = 4;
  const { data, pagination } = await listPosts(app, caller, {
    page,
    per_page: perPage,
    ...(statuses.length === 0 ? {} : { status: statuses.join(',') }),
    ...(type === null ? {} : { post_type: type }),
    ...(accountId === null ? {} : { social_account_id: accountId }),
  });
  assert.equal(pagination.total, matching.length);
  assert.deepEqual(
    data.map((row) => row.id),
    matching.slice((page - 1) * perPage, page * perPage).map((row) => row.id),
  );
}

/** Failed statements of Postgres from now on. Deadlocks are retried, so they would not be noticed otherwise. */
function recordErrorCodes(t: TestContext): string[] {
  const codes: string[] = [];
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const running = query.apply(this, args);
    if (running instanceof Promise) running.catch((error) => codes.push(String(error.code ?? error)));
    return running;
  });
  return codes;
}

/** `check` in a process of its own, on the database of a running service. */
function check({ config }: App): Promise<{ code: unknown; stdout: string }> {
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: config.dataDir,
    ...(config.databaseUrl === null ? {} : { DATABASE_URL: config.databaseUrl }),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, 'check'], { env, cwd: config.dataDir }, (error, stdout) =>
      resolve({ code: error ? error.code : 0, stdout }),
    );
  });
}
