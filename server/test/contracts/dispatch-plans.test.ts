// A page of the log of attempts costs no more than its rows, whatever the filter and however long the log is.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { possibleDuplicates } from '../../src/http/mcp/possible-duplicates.js';
import { type Explainer, explainerOf } from '../support/databases/query-plans.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, startTestService, type TestService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const ATTEMPTS = 20_000;

const LISTS: [what: string, query: (account: string) => string, index: string, most: number][] = [
  ['everything', () => '', 'dispatches_by_time', 100],
  ['everything, some pages on', () => 'page=5', 'dispatches_by_time', 300],
  ['an outcome that is rare', () => 'outcome=unknown', 'dispatches_by_outcome', 100],
  ['several outcomes', () => 'outcome=unknown,failed,published', 'dispatches_by_outcome', 200],
  ['an account', (account) => `social_account_id=${account}`, 'dispatches_by_account', 100],
  ['a trigger that is rare', () => 'trigger=retry', 'dispatches_by_trigger', 100],
  ['a range of time', () => 'from=1970-01-01T00:00:10Z&to=1970-01-01T00:00:11Z', 'dispatches_by_time', 100],
  [
    'an account in a range of time',
    (account) => `social_account_id=${account}&from=1970-01-01T00:00:10Z&to=1970-01-01T00:00:11Z`,
    'dispatches_by_account',
    100,
  ],
];

onEngines('both', 'The log of attempts', (engine) => {
  const sent: Statement[] = [];
  let service: TestService;
  let org: Organization;
  let account: string;
  let explainer: Explainer;
  let stopListening = () => {};

  before(async () => {
    stopListening = statementsOf(engine, sent);
    service = await startTestService(engine, WITHOUT_WORKER);
    org = await service.newOrganization();
    account = await org.addAccount();
    const many = await org.addAccount();
    const post = await org.addPost();
    explainer = await explainerOf(service.app);
    const id =
      engine === 'postgres'
        ? `cast('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') as uuid)`
        : `printf('00000000-0000-7000-8000-%012x', n)`;
    const uuid = (text: string) => (engine === 'postgres' ? `cast('${text}' as uuid)` : `'${text}'`);
    await explainer.run(`
      insert into dispatches (org_id, id, post_id, social_account_id, trigger_kind, attempt, mode, outcome, phase,
        snapshot, started_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ATTEMPTS})
      select ${uuid(org.id)}, ${id}, ${uuid(post)},
        case when n % 1000 < 50 then ${uuid(account)} else ${uuid(many)} end,
        case when n % 400 = 7 then 'retry' else 'api' end, n, 'direct',
        case when n = 5 then 'unknown' when n % 3 = 0 then 'failed' else 'published' end, 'done',
        '{}', n from numbers`);
    await explainer.run(`insert into dispatch_counters (org_id, outcome, n)
      select org_id, outcome, count(*) from dispatches group by 1, 2`);
    if (engine === 'postgres') await explainer.run('vacuum analyze dispatches');
  });
  after(async () => {
    stopListening();
    await explainer?.close();
    await service?.stop();
  });

  for (const [what, query, index, most] of LISTS)
    it(`of ${what} is read along an index, page by page`, async () => {
      sent.length = 0;
      const answer = await org.call('GET', `/api/v1/dispatches?${query(account)}`);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.json.data.length > 0, 'the list is empty: this would prove nothing');
      const statements = sent.filter(
        ({ text }) => /from "dispatches"/.test(text) && !/^select count/.test(text),
      );
      assert.ok(statements.length > 0, 'no statement was seen');
      const steps = (await Promise.all(statements.map(explainer.steps))).flat();
      if (engine === 'sqlite') {
        const scans = scansIn(steps);
        assert.ok(scans.some((step) => step.includes(`INDEX ${index} `)));
        for (const step of scans)
          assert.match(step, new RegExp(`^SEARCH .*(INDEX ${index} |\\(org_id=\\? AND id=\\?\\))`));
      } else assertReads(steps, most);
    });

  it('is not read for what may be on an account when an agent publishes there', async () => {
    const { app } = service;
    const id = await org.addPost({ social_account_id: account });
    const posts = app.db.read.selectFrom('posts').selectAll();
    const post = await posts.where('id', '=', id).executeTakeFirstOrThrow();
    sent.length = 0;
    const found = await possibleDuplicates(app.db.read, post, []);
    assert.equal(found.length, 1, 'nothing is found: this would prove nothing');
    const [first] = sent.filter(({ text }) => /from "dispatches"/.test(text));
    assert.ok(first);
    const steps = await explainer.steps(first);
    if (engine === 'postgres') assertReads(steps, 10);
    else
      assert.match(
        scansIn(steps).join(),
        /^SEARCH dispatches USING INDEX dispatches_unknown \(org_id=\? AND social_account_id=\?\)$/,
      );
  });
});

type Steps = Awaited<ReturnType<Explainer['steps']>>;

const scansIn = (steps: Steps): string[] =>
  steps.map(({ step }) => step).filter((step) => /^(SEARCH|SCAN) dispatches/.test(step));

function assertReads(steps: Steps, most: number): void {
  const read = steps.reduce((sum, { rows }) => sum + (rows ?? 0), 0);
  assert.ok(read <= most, `${read} rows were read: ${JSON.stringify(steps)}`);
}
