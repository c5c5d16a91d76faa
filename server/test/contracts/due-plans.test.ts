// The cost of a query for due work does not depend on the length of the backlog: the database explains the statements that
// the engine really sends.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import Libsql from 'libsql';
import pg from 'pg';
import type { App } from '../../src/app/app.js';
import type { AttemptRow } from '../../src/db/tables.js';
import {
  type Cursor,
  type DueAttempt,
  type DuePost,
  type DueQueries,
  dueAttempts,
  duePosts,
} from '../../src/publishing/schedule/due.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { addAttempts, addBacklog } from '../support/world/hanging-crowd.js';
import { useWorld } from '../support/world/world.js';

const BACKLOG = 3_000;
const ORGANIZATIONS = 8;
/** A page, and some probes for each organization; far fewer than the backlog has. */
const MAX_ROWS = 400;

onEngines('both', 'A query for due work with a long backlog', (engine) => {
  const world = useWorld(engine);
  const sent: Statement[] = [];
  let orgId: string;
  let stop = () => {};

  before(async () => {
    const { app } = world;
    const creators = [];
    for (let n = 0; n < ORGANIZATIONS; n++) creators.push(await world.creator());
    // Each organization has work that is not due yet, and the last one has due work.
    for (const creator of creators) await world.schedule(creator, await world.post(creator), 3_600_000);
    const [crowd, model, last] = [creators[0]!, creators[1]!, creators.at(-1)!];
    orgId = last.org.id;
    const sentPost = await world.scheduled(model);
    await world.engine.publish();
    await world.engine.idle();
    const attempt = (await world.attempts(sentPost))[0] as AttemptRow;
    await world.scheduled(last);
    await addBacklog(app, { orgId: crowd.org.id, ids: [crowd.accountId] }, BACKLOG);
    const owner = { orgId: creators[2]!.org.id, ids: [creators[2]!.accountId] };
    await addAttempts(app, owner, BACKLOG, attempt);
    const own = { orgId, ids: [last.accountId] };
    await addAttempts(app, own, 1, { ...attempt, phase: 'sending', outcome: 'started' });
    await addBacklog(app, own, 1);
    if (engine === 'postgres')
      await onPostgres(app, (client) => client.query('vacuum analyze posts, dispatches'));
    stop = statementsOf(engine, sent);
  });
  after(() => stop());

  type AnySource = DueQueries<DuePost> | DueQueries<DueAttempt>;
  const sources: [what: string, source: (app: App) => AnySource, organizations: number][] = [
    ['posts', duePosts, 2],
    ['interrupted attempts', (app) => dueAttempts(app, ['sending']), 1],
    ['attempts to ask about', (app) => dueAttempts(app, ['observing', 'done']), 1],
  ];
  for (const [what, sourceOf, organizations] of sources)
    it(`reads a page and a few rows for each organization: ${what}`, async () => {
      const source = sourceOf(world.app);
      const now = world.now();
      sent.length = 0;
      assert.equal((await source.oldestPage(now)).isAll, false);
      const found = new Set((await source.newest(now, 32)).map(({ org_id }) => org_id));
      for (let after: Cursor | null = null; ; ) {
        const { orgIds, next } = await source.organizationsAfter(now, after, 300);
        for (const orgId of orgIds) found.add(orgId);
        after = next;
        if (after === null) break;
      }
      await source.dueOf(orgId, now, 64, []);
      assert.ok((await source.oldestOfEach([...found], now)).length >= organizations);
      const statements = sent.filter(({ text }) => /from "(posts|dispatches)"/.test(text));
      assert.ok(found.size >= organizations, `only ${found.size} organizations were found`);
      assert.ok(statements.length >= 8, 'not all statements were seen');
      for (const statement of statements)
        if (engine === 'postgres') await assertFewRows(world.app, statement);
        else assertSearched(join(world.app.config.dataDir, 'airdate.db'), statement);
    });
});

/** SQLite reports no row counts, but names its index scans: they must use the indexes for due work. */
function assertSearched(file: string, { text, values }: Statement): void {
  const db = new Libsql(file);
  try {
    const plan = db.prepare(`explain query plan ${text}`).all(...values) as { detail: string }[];
    const scans = plan
      .map(({ detail }) => detail)
      .filter((detail) => /\b(posts|dispatches|work)\b/.test(detail));
    assert.ok(scans.length > 0, text);
    for (const scan of scans)
      assert.match(
        scan,
        /USING (COVERING )?INDEX ((posts_due|dispatches_next)(_by_organization)?\b|\w+ \(org_id=\? AND id=\?\))/,
        text,
      );
    assert.ok(!plan.some(({ detail }) => /TEMP B-TREE FOR ORDER BY/.test(detail)), text);
  } finally {
    db.close();
  }
}

/** On a connection of its own, closed before the database is dropped. */
async function onPostgres<T>({ config }: App, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: String(config.databaseUrl) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

async function assertFewRows(app: App, { text, values }: Statement): Promise<void> {
  const explain = `explain (analyze, format json) ${text}`;
  const { rows } = await onPostgres(app, (client) => client.query(explain, values));
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const read = nodes(rows[0]['QUERY PLAN'][0].Plan)
    .filter((node) => ['posts', 'dispatches'].includes(node['Relation Name'] ?? ''))
    .reduce(
      (sum, node) =>
        sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
      0,
    );
  assert.ok(read <= MAX_ROWS, `${read} rows were read by: ${text}`);
}
