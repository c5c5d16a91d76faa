// A list costs no more than its page: the database explains the statements that the service really sends.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SORTS } from '../../src/posts/list/schema.js';
import type { Engine } from '../support/databases/fresh-databases.js';
import { type Explainer, explainerOf } from '../support/databases/query-plans.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type Organization, startTestService, type TestService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

/** SQLite plans by the schema, whatever the tables hold. */
const ORGANIZATIONS = { sqlite: everyday(2, 8), postgres: 8 };
const POSTS_EACH = 5_000;
const SLOT_MS = 3_600_000;
const FIRST_SLOT = Date.parse('2027-01-01T00:00:00Z');

const slot = (n: number) => new Date(FIRST_SLOT + n * SLOT_MS).toISOString();
const ms = (n: number) => new Date(n).toISOString();

/** Of one post in ten of each organization. */
const LABEL = '00000000-0000-7000-8000-00000000000a';

const LISTS: [what: string, query: (account: string) => string][] = [
  ['of everything', () => ''],
  ['of everything, some pages on', () => 'page=5'],
  ['of one status', () => 'status=draft'],
  ['of several statuses', () => 'status=draft,scheduled,posted'],
  ['of one type', () => 'post_type=video'],
  ['of one status and type', () => 'status=draft&post_type=video'],
  ['of one account', (account) => `social_account_id=${account}`],
  [
    'of one account, status and type',
    (account) => `social_account_id=${account}&status=posted&post_type=video`,
  ],
  ['by slot', () => 'sort=scheduled_at'],
  ['of a range of slots', () => `scheduled_from=${slot(2_000)}&scheduled_to=${slot(2_050)}`],
  [
    'of a range of slots, by slot',
    () => `scheduled_from=${slot(2_000)}&scheduled_to=${slot(2_050)}&sort=scheduled_at`,
  ],
  ['of the next slots', () => 'status=scheduled&sort=scheduled_at'],
  ['of one label', () => `label=${LABEL}`],
  ['of one label, some pages on', () => `label=${LABEL}&page=5`],
  ['of one label, status and type', () => `label=${LABEL}&status=posted&post_type=video`],
  ['of one label, by slot', () => `label=${LABEL}&sort=scheduled_at`],
  ['of one label and account', (account) => `label=${LABEL}&social_account_id=${account}`],
  ['of a range of lost slots', () => `last_slot_from=${slot(2_000)}&last_slot_to=${slot(2_500)}`],
  ['by title', () => 'sort=title'],
  ['by title, some pages on', () => 'sort=title&page=5'],
  ['of one status, by title', () => 'status=posted&sort=title'],
  ['of several statuses and one type, by title', () => 'status=draft,posted&post_type=video&sort=title'],
  ['by publication', () => 'sort=-posted_at'],
  ['of one status, by publication', () => 'status=posted&sort=-posted_at'],
  ['of drafts, by publication', () => 'status=draft&sort=-posted_at'],
  ['by publication, the first one first', () => 'sort=posted_at'],
  ['by title, backwards', () => 'sort=-title'],
  ['by slot, backwards', () => 'sort=-scheduled_at'],
  ['of videos, by slot', () => 'post_type=video&sort=scheduled_at'],
  ['by age', () => 'sort=created_at'],
  ['of one account, by age', (account) => `social_account_id=${account}&sort=created_at`],
  ['by change', () => 'sort=updated_at'],
  ['by change, backwards', () => 'sort=-updated_at'],
  ['of one status and type, by change', () => 'status=posted&post_type=video&sort=-updated_at'],
  ['of a time of creation', () => `created_from=${ms(1_000)}&created_to=${ms(4_000)}`],
  ['of changes since, by change', () => `updated_from=${ms(100)}&sort=updated_at`],
  ['of changes until, by change', () => `updated_to=${ms(4_900)}&sort=-updated_at&status=draft`],
  ['of publications since, by publication', () => `posted_from=${slot(10)}&sort=posted_at`],
  ['in the inbox', () => 'outcome=in_inbox'],
  ['in the inbox and not archived', () => 'status=posted&outcome=in_inbox'],
  [
    'in the inbox, of one account',
    (account) => `status=posted&outcome=in_inbox&social_account_id=${account}`,
  ],
  ['posted and not in the inbox', () => 'status=posted&outcome_not=in_inbox'],
  ['posted and not in the inbox, by publication', () => 'status=posted&outcome_not=in_inbox&sort=-posted_at'],
  ['of posts that failed', () => 'outcome=failed'],
  ['of posts that were published', () => 'status=posted&outcome=published'],
  ...SORTS.map((sort): [string, () => string] => [`by a cursor, sort=${sort}`, () => `sort=${sort}&cursor=`]),
  ['by a cursor, of a range', () => `updated_from=${ms(100)}&sort=updated_at&cursor=`],
  ['by a cursor, of one label', () => `label=${LABEL}&cursor=`],
];

onEngines('both', 'A list of posts', (engine) => {
  const sent: Statement[] = [];
  let service: TestService;
  let org: Organization;
  let account: string;
  let explainer: Explainer;
  let stopListening = () => {};

  before(async () => {
    stopListening = statementsOf(engine, sent);
    service = await startTestService(engine, WITHOUT_WORKER);
    const accounts = new Map<string, string>();
    for (let i = 0; i < ORGANIZATIONS[engine]; i++) {
      org = await service.newOrganization();
      account = await org.addAccount();
      accounts.set(org.id, account);
    }
    explainer = await explainerOf(service.app);
    for (const [orgId, accountId] of accounts) await explainer.run(manyPosts(engine, orgId, accountId));
    await explainer.run(COUNT_THEM);
    for (const statement of LABEL_SOME) await explainer.run(statement);
    if (engine === 'postgres') await explainer.run('vacuum analyze posts, post_labels');
  });
  after(async () => {
    stopListening();
    await explainer?.close();
    await service?.stop();
  });

  for (const [what, query] of LISTS) {
    describe(what, () => {
      let statements: Statement[];
      before(async () => {
        sent.length = 0;
        let answer = await org.call('GET', `/api/v1/posts?${query(account)}`);
        assert.equal(answer.status, 200, answer.text);
        // The first pages of a cursor are like any other: the eleventh is what it is for.
        for (let page = 1; page <= 10 && answer.json.next_cursor; page++) {
          sent.length = 0;
          answer = await org.call('GET', `/api/v1/posts?${query(account)}${answer.json.next_cursor}`);
        }
        assert.ok(answer.json.data.length > 0, 'the list is empty: this would prove nothing');
        statements = sent.filter(({ text }) => /\bfrom "(posts|post_labels)"/.test(text));
        assert.ok(statements.length > 0, 'no statement was seen');
      });

      it('never reads the whole table', async () => {
        for (const statement of statements) assert.deepEqual(await explainer.wholeTable(statement), []);
      });

      it('fetches its page without scanning or sorting the whole organization', async () => {
        for (const statement of statements.filter(({ text }) => !/^select count/.test(text)))
          assert.deepEqual(await explainer.tooMuch(statement), [], statement.text);
      });
    });
  }
});

/** Half of an old organization's posts are published and keep the slot they had; the next slots come after those. */
function manyPosts(engine: Engine, orgId: string, accountId: string): string {
  const uuid = (text: string) => (engine === 'postgres' ? `cast('${text}' as uuid)` : `'${text}'`);
  const id =
    engine === 'postgres'
      ? `cast('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') as uuid)`
      : `printf('00000000-0000-7000-8000-%012x', n)`;
  return `
    insert into posts (org_id, id, post_type, title, status, scheduled_at, posted_at, social_account_id,
      privacy_level, title_key, last_slot, last_outcome, created_at, updated_at)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${POSTS_EACH}),
    kinds as (select n, case when n % 10 < 5 then 'posted' when n % 10 < 7 then 'draft'
      when n % 10 < 8 then 'scheduled' else 'archived' end as status from numbers)
    select ${uuid(orgId)}, ${id}, case n % 3 when 0 then 'video' else 'slides' end, 'A post', status,
      case when status in ('posted', 'scheduled')
        then cast(${FIRST_SLOT} as bigint) + cast(${SLOT_MS} as bigint) * (n + case status when 'scheduled' then ${POSTS_EACH} else 0 end) end,
      case status when 'posted' then cast(${FIRST_SLOT} as bigint) + cast(${SLOT_MS} as bigint) * n end,
      case when n % 4 < 3 or status = 'scheduled' then ${uuid(accountId)} end,
      'SELF_ONLY', 'post number ' || (n * 7919 % ${POSTS_EACH}),
      case when status = 'draft' and n % 20 = 5 then cast(${FIRST_SLOT} as bigint) + cast(${SLOT_MS} as bigint) * n end,
      case when status = 'posted' then case when n % 20 = 2 then 'in_inbox' else 'published' end when n % 20 = 5 then 'failed' end, n, n
    from kinds`;
}

const COUNT_THEM = `
  insert into post_counters (org_id, status, post_type, account_id, published, n)
  select org_id, status, post_type, coalesce(social_account_id, '00000000-0000-0000-0000-000000000000'),
    case when posted_at is null then 0 else 1 end, count(*)
  from posts group by 1, 2, 3, 4, 5`;

const LABEL_SOME = [
  `insert into labels (org_id, id, name, name_key, colour, created_at)
    select id, '${LABEL}', 'A label', 'a label', 'red', 1 from organizations`,
  `insert into post_labels (org_id, post_id, label_id, created_at)
    select org_id, id, '${LABEL}', created_at from posts where created_at % 20 = 0 or created_at % 20 = 3`,
];
