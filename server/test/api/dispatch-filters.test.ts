// Every combination of the filters of the log of attempts finds what a look at all attempts finds.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { QueryOf } from '@airdate/sdk';
import type { ListDispatches } from '../../src/publishing/history/schema.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { addDispatch, assertRefused, at } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/dispatches';
const FIRST = Date.parse('2030-01-01T00:00:00Z');
const MINUTE_MS = 60_000;

onEngines('sqlite', 'Filters of GET /api/v1/dispatches', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  let org: Organization;
  let accounts: string[];

  before(async () => {
    org = await service.newOrganization();
    accounts = [await org.addAccount(), await org.addAccount()];
    const outcomes = ['failed', 'published', 'in_inbox', 'failed', 'unknown'] as const;
    const triggers = ['api', 'schedule', 'retry'] as const;
    for (let n = 0; n < 40; n++) {
      const outcome = outcomes[n % outcomes.length] as (typeof outcomes)[number];
      await addDispatch(service, org, await org.addPost(), {
        outcome,
        error_code: outcome === 'failed' ? `code_${n % 2}` : null,
        social_account_id: accounts[Math.floor(n / 3) % 2] as string,
        trigger_kind: triggers[Math.floor(n / 2) % triggers.length] as (typeof triggers)[number],
        // Some start at the same moment.
        started_at: FIRST + Math.floor(n / 2) * MINUTE_MS,
      });
    }
  });

  const list = async (query: ListDispatches) =>
    await org.sdk.request('GET', PATH, { query: query as QueryOf<'listDispatches'> });

  it('find the same attempts as a look at all of them, alone and together', async () => {
    const { data: all } = await list({ per_page: 100 });
    assert.equal(all.length, 40);
    const sorted = [...all].sort((a, b) =>
      a.started_at === b.started_at ? (a.id < b.id ? 1 : -1) : a.started_at < b.started_at ? 1 : -1,
    );
    assert.deepEqual(all, sorted);
    const [from, to] = [at(FIRST + 4 * MINUTE_MS), at(FIRST + 15 * MINUTE_MS)];
    const filters: [ListDispatches, (one: (typeof all)[number]) => boolean][] = [
      [{ outcome: 'failed' }, (one) => one.outcome === 'failed'],
      [{ outcome: 'unknown,in_inbox' }, (one) => ['unknown', 'in_inbox'].includes(one.outcome)],
      [{ error_code: 'code_1' }, (one) => one.error_code === 'code_1'],
      [{ social_account_id: accounts[1] as string }, (one) => one.social_account_id === accounts[1]],
      [{ trigger: 'retry' }, (one) => one.trigger === 'retry'],
      [{ from }, (one) => one.started_at >= from],
      [{ to }, (one) => one.started_at <= to],
    ];
    for (let chosen = 0; chosen < 2 ** filters.length; chosen++) {
      const mine = filters.filter((_, n) => chosen & (2 ** n));
      // One of the two sets of outcomes.
      if ((chosen & 3) === 3) continue;
      const query = Object.assign({}, ...mine.map(([filter]) => filter));
      const wanted = all.filter((one) => mine.every(([, isWanted]) => isWanted(one)));
      const { data, pagination } = await list({ ...query, per_page: 3, page: 2 });
      assert.deepEqual(data, wanted.slice(3, 6), JSON.stringify(query));
      assert.equal(pagination.total, wanted.length, JSON.stringify(query));
    }
  });

  it('take an account in capitals, and one that was disconnected', async () => {
    const { pagination } = await list({ social_account_id: (accounts[0] as string).toUpperCase() });
    assert.ok(pagination.total > 0);
    const gone = await org.addAccount('disconnected');
    assert.equal((await list({ social_account_id: gone })).pagination.total, 0);
  });

  it('refuse what they do not know', async () => {
    const other = await service.newOrganization();
    for (const [name, values] of Object.entries({
      outcome: ['lost', 'failed,', ',failed', 'failed,lost', ''],
      trigger: ['worker', ''],
      social_account_id: ['x', await other.addAccount()],
      from: ['yesterday', '2030-01-01'],
      to: ['2030-01-01T00:00:00'],
    }))
      for (const value of values)
        assertRefused(await org.call('GET', `${PATH}?${name}=${encodeURIComponent(value)}`), name);
  });
});
