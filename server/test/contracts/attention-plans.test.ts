// What needs attention costs no more than what is counted, however many posts need it: the database explains the statements
// that the service really sends.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { MAX_COUNTED } from '../../src/posts/attention/schema.js';
import type { Engine } from '../support/databases/fresh-databases.js';
import { type Explainer, explainerOf } from '../support/databases/query-plans.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type Organization, startTestService, type TestService } from '../support/service/harness.js';
import { listPosts } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

/** Of each kind: failed, archived after a failure, scheduled without media on two accounts. */
const EACH = 2_200;
/** Of another organization, and nothing is wrong with them. SQLite plans by the schema, whatever the tables hold. */
const FINE = { sqlite: everyday(400, 40_000), postgres: 40_000 };
const HOUR_MS = 3_600_000;

onEngines('both', 'What needs attention, of thousands of posts', (engine) => {
  const sent: Statement[] = [];
  let service: TestService;
  let org: Organization;
  let lost: string;
  let explainer: Explainer;
  let stop = () => {};

  before(async () => {
    service = await startTestService(engine, WITHOUT_WORKER);
    explainer = await explainerOf(service.app);
    const fine = await service.newOrganization();
    await explainer.run(finePosts(engine, fine.id));
    org = await service.newOrganization();
    lost = await org.addAccount('reconnect_required');
    await explainer.run(manyPosts(engine, org.id, [await org.addAccount(), lost], service.clock.now()));
    await explainer.run(COUNT_THEM);
    if (engine === 'postgres')
      await explainer.run('vacuum analyze posts, booked_slots, assets, post_counters');
    stop = statementsOf(engine, sent);
  });
  after(async () => {
    stop();
    await explainer?.close();
    await service?.stop();
  });

  const attention = async () => (await org.sdk.posts.attention()).data;

  it('is counted up to a limit, with the next slots of all', async () => {
    const rows = await attention();
    assert.deepEqual(
      rows.map(({ cause, count, post_ids }) => [cause, count, post_ids.length]),
      [
        ['no_media', MAX_COUNTED, 5],
        ['account_reconnect', MAX_COUNTED, 5],
        ['publish_failed', MAX_COUNTED, 5],
      ],
    );
    assert.match(rows[1]?.message ?? '', /: reconnect, 1,000 or more posts wait\.$/);
    const [next] = (await listPosts(org, { sort: 'scheduled_at', social_account_id: lost, per_page: 1 }))
      .data;
    assert.deepEqual([rows[1]?.post_ids[0], rows[1]?.next_at], [next?.id, next?.scheduled_at]);
  });

  it('is read along indexes that begin with the organization, and no further than counted', async () => {
    sent.length = 0;
    await attention();
    const statements = sent.filter(({ text }) => /from "(posts|booked_slots)"/.test(text));
    assert.ok(statements.length >= 4, 'not all statements were seen');
    for (const statement of statements)
      for (const { step, rows } of await explainer.steps(statement)) {
        assert.doesNotMatch(step, /^SCAN|^Seq Scan of (posts|booked_slots)/, statement.text);
        assert.ok(rows === null || rows <= 2 * MAX_COUNTED, `${step}: ${rows} rows of ${statement.text}`);
      }
    const usesIndex = async (index: string) => {
      for (const statement of statements)
        for (const { step } of await explainer.steps(statement)) if (step.includes(index)) return true;
      return false;
    };
    if (engine === 'sqlite')
      for (const index of ['posts_failed', 'posts_by_account_and_slot', 'booked_slots_without_media'])
        assert.ok(await usesIndex(index), `${index} is not used`);
  });

  it('is listed without reading the whole table', async () => {
    sent.length = 0;
    const { pagination } = await listPosts(org, { needs_attention: true });
    assert.equal(pagination.total, 2 * EACH);
    const statements = sent.filter(({ text }) => /from "posts"/.test(text));
    assert.ok(statements.length > 0, 'no statement was seen');
    for (const statement of statements) assert.deepEqual(await explainer.wholeTable(statement), []);
  });
});

const idOf = (engine: Engine) =>
  engine === 'postgres'
    ? `cast('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') as uuid)`
    : `printf('00000000-0000-7000-8000-%012x', n)`;
const uuid = (engine: Engine, text: string) =>
  engine === 'postgres' ? `cast('${text}' as uuid)` : `'${text}'`;
const numbers = (most: number) =>
  `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${most})`;

const finePosts = (engine: Engine, orgId: string) => `
    insert into posts (org_id, id, post_type, title, status, posted_at, title_key, created_at, updated_at)
    ${numbers(FINE[engine])}
    select ${uuid(engine, orgId)}, ${idOf(engine)}, 'slides', 'A post', 'posted', n, 'a post', n, n from numbers`;

const manyPosts = (engine: Engine, orgId: string, accounts: [string, string], now: number) => `
    insert into posts (org_id, id, post_type, title, status, scheduled_at, social_account_id, privacy_level,
      last_publish_error, title_key, created_at, updated_at)
    ${numbers(3 * EACH)},
    kinds as (select n, case n % 3 when 0 then 'draft' when 1 then 'archived' else 'scheduled' end as status from numbers)
    select ${uuid(engine, orgId)}, ${idOf(engine)}, 'slides', 'A post', status,
      case status when 'scheduled' then cast(${now} as bigint) + ${HOUR_MS} + n * 60000 end,
      case n % 2 when 0 then ${uuid(engine, accounts[0])} else ${uuid(engine, accounts[1])} end, 'SELF_ONLY',
      case when status <> 'scheduled' then 'The platform refused the post (spam_risk)' end, 'a post', n, n
    from kinds`;

const COUNT_THEM = `
  insert into post_counters (org_id, status, post_type, account_id, published, n)
  select org_id, status, post_type, coalesce(social_account_id, '00000000-0000-0000-0000-000000000000'),
    case when posted_at is null then 0 else 1 end, count(*)
  from posts group by 1, 2, 3, 4, 5`;
