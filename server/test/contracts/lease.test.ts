// A lease of work that waits in a row: one worker has it, writes of others change nothing, and a worker that lost it hears so.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import type { SocialAccountRow } from '../../src/db/tables.js';
import { createLease, isLeasedHere, withLease } from '../../src/work/lease.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const LEASE_MS = 60_000;

/** The columns of token renewals: any table with a fence and an end would do. */
const leaseOf = (ms: number) =>
  createLease<SocialAccountRow, 'org_id' | 'id' | 'token_fence'>({
    table: 'social_accounts',
    key: ['org_id', 'id', 'token_fence'],
    ends: ['refreshing_until'],
    ms: () => ms,
  });

onEngines('both', 'A lease', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  const lease = leaseOf(LEASE_MS);
  const acquireFree = lease.acquireIf((now: number) => sql`coalesce(refreshing_until, 0) <= ${now}`);

  const write = <T>(work: Parameters<typeof service.app.db.transact<T>>[0]) => service.app.db.transact(work);
  const now = () => service.clock.now();
  const rowOf = (id: string) =>
    service.app.db.read
      .selectFrom('social_accounts')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  const newRow = async () => rowOf(await (await service.newOrganization()).addAccount());
  const acquire = (seen: SocialAccountRow) => write((tx) => acquireFree(tx, seen, now() + LEASE_MS, now()));

  async function acquired(): Promise<SocialAccountRow> {
    const row = await acquire(await newRow());
    assert.ok(row);
    return row;
  }

  it('is given to one of many workers that saw the same row', async () => {
    const seen = await newRow();
    const owners = (await Promise.all(Array.from({ length: 8 }, () => acquire(seen)))).filter(
      (row) => row !== null,
    );
    assert.equal(owners.length, 1);
    assert.equal(owners[0]?.token_fence, seen.token_fence + 1);
  });

  it('is not given again before it ends, and then to a worker that has read the row since', async () => {
    const first = await acquired();
    assert.equal(await acquire(await rowOf(first.id)), null);
    service.clock.advance(LEASE_MS);
    assert.ok(await acquire(await rowOf(first.id)));
  });

  it('leaves a worker that was paused beyond it without effect', async () => {
    const slow = await acquired();
    service.clock.advance(LEASE_MS);
    const next = await acquire(await rowOf(slow.id));
    assert.ok(next);
    assert.equal(await write((tx) => lease.renew(tx, slow, now() + LEASE_MS)), false);
    assert.equal(await write((tx) => lease.update(tx, slow, { scopes: 'stolen' })), false);
    assert.equal(await write((tx) => lease.release(tx, slow, {})), false);
    assert.equal(await write((tx) => lease.lockIfOwner(tx, slow)), null);
    assert.deepEqual(await rowOf(slow.id), next);
    assert.deepEqual(await write((tx) => lease.lockIfOwner(tx, next)), next);
  });

  it('is over once it is released, for its owner too', async () => {
    const owned = await acquired();
    assert.ok(await write((tx) => lease.release(tx, owned, { scopes: 'all' })));
    const { refreshing_until, token_fence, scopes } = await rowOf(owned.id);
    assert.deepEqual([refreshing_until, token_fence, scopes], [null, owned.token_fence + 1, 'all']);
    assert.equal(await write((tx) => lease.renew(tx, owned, now() + LEASE_MS)), false);
  });

  it('is renewed while its work lasts, and tells the work when another worker has it', async () => {
    const owned = await acquired();
    const quick = leaseOf(4);
    const reason = await withLease(service.app, quick, owned, async (leaseLost) => {
      assert.ok(isLeasedHere(service.app, owned.id));
      await until(
        'the lease is renewed',
        async () => (await rowOf(owned.id)).refreshing_until !== owned.refreshing_until,
      );
      await write((tx) => lease.release(tx, owned, {}));
      await until('the work hears of it', () => leaseLost.aborted);
      return String(leaseLost.reason);
    });
    assert.match(reason, /another worker has the lease/);
    assert.equal(isLeasedHere(service.app, owned.id), false);
  });
});
