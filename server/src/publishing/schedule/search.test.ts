import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPool } from '../../work/pool.js';
import type { Cursor, DueQueries } from './due.js';
import { createSearch, fromBothEnds } from './search.js';

interface Row {
  id: string;
  org_id: string;
  target: string;
  due_at: number;
}

const NOW = 1_000_000;
const PAGE = 192;
const row = (org_id: string, due_at: number): Row => ({
  id: `${org_id} ${due_at}`,
  org_id,
  target: `${org_id} account`,
  due_at,
});

/** Due work in memory, which counts what is read of it. */
function sourceOf(rows: Row[]) {
  const sorted = [...rows].sort((a, b) => a.due_at - b.due_at || (a.org_id < b.org_id ? -1 : 1));
  const read = { rows: 0, lookUps: 0 };
  const counted = <T>(found: T[]): T[] => {
    read.rows += found.length;
    return found;
  };
  const source: DueQueries<Row> = {
    oldestPage: async () => ({ rows: counted(sorted.slice(0, PAGE)), isAll: sorted.length < PAGE }),
    newest: async (_now, limit) => counted(sorted.slice(-limit)).reverse(),
    async organizationsAfter(_now, after, limit) {
      const isAfter = ({ due_at, org_id }: Row, [at, , orgId]: Cursor) =>
        due_at > at || (due_at === at && org_id > orgId);
      const named = counted(sorted.filter((one) => !after || isAfter(one, after)).slice(0, limit));
      const last = named.at(-1);
      return {
        orgIds: named.map(({ org_id }) => org_id),
        next: last && named.length === limit ? [last.due_at, 0, last.org_id] : null,
      };
    },
    async dueOf(orgId, _now, limit) {
      read.lookUps++;
      return counted(sorted.filter(({ org_id }) => org_id === orgId).slice(0, limit));
    },
    async oldestOfEach(orgIds) {
      read.lookUps++;
      const first = (orgId: string) => sorted.filter(({ org_id }) => org_id === orgId).slice(0, 1);
      return counted(orgIds.flatMap(first));
    },
  };
  return { source, read };
}

const LIMITS = { max: 512, perOrganization: 64, perTarget: 4 };
const RUSH = { maxRecentWhenBusy: 72, reserved: 8 };

/** A pool of a busy process, for a search that tells it of newcomers. */
function busyPool() {
  let newcomers: ReadonlySet<string> = new Set();
  const rush = { ...RUSH, isBusy: () => true, isNewcomer: (orgId: string) => newcomers.has(orgId) };
  const pool = createPool({ ...LIMITS, rush }, { onSuccess() {}, onError: assert.fail }, () => 0);
  const onNewcomers = (orgIds: ReadonlySet<string>) => {
    newcomers = orgIds;
  };
  return { pool, onNewcomers };
}

function searchIn(rows: Row[]) {
  const { pool, onNewcomers } = busyPool();
  const { source, read } = sourceOf(rows);
  const search = createSearch({ clock: { now: () => NOW } }, source, pool, onNewcomers);
  return { read, pool, find: () => search(pool.capacityFor) };
}

const many = (organizations: number, at = NOW - 5_000) =>
  Array.from({ length: organizations }, (_, n) => row(`org ${String(n).padStart(6, '0')}`, at));

describe('A search for due work', () => {
  it('reads as much of 100,000 organizations as of 1,000', async () => {
    const costs: unknown[] = [];
    for (const organizations of [1_000, 100_000]) {
      const { find, read } = searchIn(many(organizations));
      const { rows } = await find();
      assert.ok(new Set(rows.map(({ org_id }) => org_id)).size >= RUSH.maxRecentWhenBusy);
      costs.push({ ...read });
    }
    assert.deepEqual(costs[0], costs[1]);
  });

  it('finds work that became due after a rush of thousands, and places it near the front', async () => {
    const { find } = searchIn([...many(20_000), row('late', NOW)]);
    const { rows } = await find();
    const position = rows.findIndex(({ org_id }) => org_id === 'late');
    assert.ok(position >= 0 && position <= 1, `it is number ${position}`);
  });

  it('begins what became due after a crowd with the reserved capacity, and nothing of the crowd', async () => {
    let now = NOW;
    const { pool, onNewcomers } = busyPool();
    const crowd = many(1_000, NOW);
    const all = [...crowd];
    const { source } = sourceOf(all);
    const search = createSearch(
      { clock: { now: () => now } },
      { ...source, newest: async () => [...all].reverse().slice(0, 32) },
      pool,
      onNewcomers,
    );
    const begin = async () => {
      const { rows } = await search(pool.capacityFor);
      const begun = rows.filter((one) => pool.start(one, () => new Promise(() => {})));
      return begun.map(({ org_id }) => org_id);
    };
    assert.equal((await begin()).length, RUSH.maxRecentWhenBusy - RUSH.reserved);
    now += 1_000;
    assert.deepEqual(await begin(), []);
    all.push(row('late', now));
    const { rows: found } = await search(pool.capacityFor);
    assert.ok(pool.capacityFor('late') > 0);
    assert.ok(pool.capacityFor('org 000999') <= 0);
    assert.ok(found.length > 0);
  });

  it('finds the work of others in the middle of the backlog of one', async () => {
    const backlog = Array.from({ length: 5_000 }, (_, n) => row('long', n));
    const { find } = searchIn([...backlog, row('hidden', 2_500), row('newest', NOW)]);
    const { rows, more } = await find();
    assert.deepEqual(new Set(rows.map(({ org_id }) => org_id)), new Set(['long', 'hidden', 'newest']));
    assert.deepEqual(more, ['long']);
  });

  it('finds them when thousands are due at the same moment', async () => {
    const backlog = Array.from({ length: 5_000 }, (_, n) => ({ ...row('long', 7), id: `long ${n}` }));
    const { find } = searchIn([...backlog, row('other', 7)]);
    const { rows } = await find();
    assert.ok(rows.some(({ org_id }) => org_id === 'other'));
  });

  it('walks on through a backlog that is longer than one search reads', async () => {
    const backlog = Array.from({ length: 25_000 }, (_, n) => row('long', n));
    const { find } = searchIn([
      ...backlog.slice(0, 20_000),
      row('hidden', 20_000.5),
      ...backlog.slice(20_000),
    ]);
    for (;;) {
      const { rows } = await find();
      if (rows.some(({ org_id }) => org_id === 'hidden')) return;
      await new Promise(setImmediate);
    }
  });

  it('returns everything if it is less than a page', async () => {
    const { find, read } = searchIn(many(100));
    const { rows, more } = await find();
    assert.deepEqual([rows.length, more, read.lookUps], [100, [], 0]);
  });
});

describe('Organizations from both ends of time', () => {
  it('take turns, and the work of each is the oldest first', () => {
    const rows = [row('b', 2), row('a', 1), row('c', 3), row('a', 4), row('d', 5)];
    assert.deepEqual(
      fromBothEnds(rows, []).map(({ id }) => id),
      ['a 1', 'a 4', 'd 5', 'b 2', 'c 3'],
    );
  });

  it('begin at the young end with those that became due last', () => {
    const rows = [row('a', 1), row('b', 2), row('c', 3), row('d', 4)];
    assert.deepEqual(
      fromBothEnds(rows, ['b']).map(({ org_id }) => org_id),
      ['a', 'b', 'c', 'd'],
    );
  });
});
