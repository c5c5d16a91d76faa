// A page of the audit log costs no more than its rows, whatever the filter and however long the log is.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import Libsql from 'libsql';
import pg from 'pg';
import { MAX_LISTED_ENTRIES } from '../../src/audit/list.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, startTestService, type TestService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const ROWS = 12_000;
const PERSON = '00000000-0000-7000-8000-00000000abcd';
const POST = '00000000-0000-7000-8000-00000000dcba';

/** By the leading filter, and how many rows the page may read: far fewer than there are. */
const LISTS: [what: string, query: string, most: number, index: string][] = [
  ['everything', '', 200, 'audit_by_organization'],
  ['everything, some pages on', 'page=5', 400, 'audit_by_organization'],
  ['one action', 'action=post.publish_started', 200, 'audit_by_action'],
  ['several actions', 'action=post.publish_started,key.revoked,person.signed_in', 400, 'audit_by_action'],
  ['a kind of target', 'target_kind=post', 400, 'audit_by_action'],
  ['a kind of actor that rarely acts', 'actor_kind=operator', 200, 'audit_by_actor_kind'],
  ['one actor', `actor_id=${PERSON}`, 200, 'audit_by_actor'],
  ['one target', `target_id=${POST}`, 200, 'audit_by_target'],
  ['a range of time', 'from=1970-01-01T00:00:10Z&to=1970-01-01T00:00:11Z', 400, 'audit_by_organization'],
  [
    'an actor and an action',
    `actor_id=${PERSON}&action=key.revoked`,
    MAX_LISTED_ENTRIES + 200,
    'audit_by_actor',
  ],
];

onEngines('both', 'The audit log', (engine) => {
  const sent: Statement[] = [];
  let service: TestService;
  let org: Organization;
  let explain: (statement: Statement) => Promise<string[]>;
  let close = async () => {};
  let stopListening = () => {};

  before(async () => {
    stopListening = statementsOf(engine, sent);
    service = await startTestService(engine, WITHOUT_WORKER);
    const orgs = [await service.newOrganization(), await service.newOrganization()];
    org = orgs[0] as Organization;
    for (const { id } of orgs) await fill(service, id, id === org.id ? '1' : '2');
    const { config } = service.app;
    if (engine === 'sqlite') {
      const db = new Libsql(join(config.dataDir, 'airdate.db'));
      explain = async ({ text, values }) =>
        (db.prepare(`explain query plan ${text}`).all(...values) as { detail: string }[]).map(
          ({ detail }) => detail,
        );
      close = async () => void db.close();
    } else {
      const client = new pg.Client({ connectionString: String(config.databaseUrl) });
      await client.connect();
      await client.query('vacuum analyze audit');
      explain = async ({ text, values }) => {
        const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
        return [JSON.stringify(rows[0]['QUERY PLAN'][0].Plan)];
      };
      close = () => client.end();
    }
  });
  after(async () => {
    stopListening();
    await close();
    await service?.stop();
  });

  for (const [what, query, most, index] of LISTS)
    it(`of ${what} is read along an index, page by page`, async () => {
      sent.length = 0;
      const answer = await org.call('GET', `/api/v1/audit?${query}`);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.json.data.length > 0, 'the list is empty: this would prove nothing');
      const page = sent.find(({ text }) => /^select \* from "audit"/.test(text));
      assert.ok(page, 'no statement was seen');
      const plan = await explain(page);
      if (engine === 'sqlite') {
        assert.deepEqual(
          plan.filter((step) => /^SCAN audit\b/.test(step)),
          [],
        );
        // Each scan has the organization and its filter in its index, and the id as its end.
        const scans = plan.filter((step) => /^SEARCH audit USING .*INDEX audit_by/.test(step));
        assert.ok(scans.length >= 2);
        for (const step of scans)
          assert.match(step, new RegExp(`INDEX ${index} \\(org_id=\\?.*\\bid[<>]\\?`));
      } else {
        const read = rowsRead(JSON.parse(plan[0] as string));
        assert.ok(read <= most, `${read} rows were read`);
      }
    });

  it('ends after the newest 10,000 entries, and a range of time reaches the others', async () => {
    const page = async (query: string) => (await org.call('GET', `/api/v1/audit?per_page=100&${query}`)).json;
    const last = await page('page=100');
    assert.deepEqual([last.data.length, last.pagination.total], [100, MAX_LISTED_ENTRIES]);
    const beyond = await page('page=101');
    assert.deepEqual([beyond.data, beyond.pagination.total], [[], MAX_LISTED_ENTRIES]);
    const earlier = await page('to=1970-01-01T00:00:01Z');
    assert.deepEqual([earlier.data.length, earlier.pagination.total], [100, 1_001]);
  });
});

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function rowsRead(node: PlanNode): number {
  const own =
    node['Relation Name'] === 'audit'
      ? node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0))
      : 0;
  return own + (node.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);
}

/** Mostly a worker's acts; every tenth is a person's, and every thousandth the operator's. One row for each millisecond. */
async function fill({ app }: TestService, orgId: string, mark: '1' | '2'): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const time = n.toString(16).padStart(12, '0');
    const isOperator = n % 1_000 === 0;
    const isPerson = !isOperator && n % 10 === 0;
    return {
      id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-00000000000${mark}`,
      org_id: orgId,
      at: n,
      actor_kind: isOperator ? ('operator' as const) : isPerson ? ('person' as const) : ('system' as const),
      actor_id: isPerson ? PERSON : null,
      actor_name: 'Someone',
      action: isOperator
        ? 'organization.plan_changed'
        : isPerson
          ? n % 20 === 0
            ? 'key.revoked'
            : 'person.signed_in'
          : 'post.publish_started',
      target_kind: 'post',
      target_id: n % 500 === 7 ? POST : app.newId(),
    };
  });
  for (let begin = 0; begin < ROWS; begin += 2_000)
    await app.db.transact((tx) =>
      tx
        .insertInto('audit')
        .values(rows.slice(begin, begin + 2_000))
        .execute(),
    );
}
