// The guard around the database of every test works: see test/support/databases/change-notice-check.ts.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { scheduleGrantCheck } from '../../src/accounts/platform-calls.js';
import { markChanged } from '../../src/db/changes.js';
import type { Tx } from '../../src/db/database.js';
import { findPost } from '../../src/posts/posts.js';
import { assertChangeNotices, isOfService } from '../support/databases/change-notice-check.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';

onEngines('both', 'A transaction of the service', (engine) => {
  const service = useService(engine);

  /** As if the service had started it: the guard checks the caller. */
  function asService<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const guarded = assertChangeNotices(service.app.db, () => true);
    return guarded.transact(work);
  }

  const touch = (tx: Tx, id: string) =>
    tx.updateTable('posts').set({ updated_at: 1 }).where('id', '=', id).execute();

  it('that changes a post must note it, or is rolled back', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await assert.rejects(
      asService((tx) => touch(tx, id)),
      /noted none/,
    );
    const [before] = await findPost(service.app.db.read, org.id, id);
    assert.notEqual(before?.updated_at, 1);
    await asService(async (tx) => {
      await touch(tx, id);
      markChanged(tx, org.id, { posts: [id] });
    });
  });

  it('that adds or removes something of a post, or changes an account, must note that', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const remove = (tx: Tx) => tx.deleteFrom('posts').where('org_id', '=', org.id).execute();
    await org.addPost();
    await assert.rejects(asService(remove), /noted none/);
    const rename = (tx: Tx) =>
      tx.updateTable('social_accounts').set({ username: 'x' }).where('id', '=', account).execute();
    await assert.rejects(asService(rename), /has not noted it/);
  });

  it('need not note columns that no response shows, nor updates of no row', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await asService((tx) => tx.updateTable('posts').set({ wait_until: 1 }).where('id', '=', id).execute());
    await asService((tx) => touch(tx, service.app.newId()));
    await scheduleGrantCheck(service.app, { org_id: org.id, id: await org.addAccount() });
  });

  it('is distinguished from transactions of the tests themselves', async () => {
    const asked: boolean[] = [];
    const db = assertChangeNotices(service.app.db, (file) => {
      asked.push(isOfService(file));
      return false;
    });
    const org = await service.newOrganization();
    await scheduleGrantCheck({ ...service.app, db }, { org_id: org.id, id: await org.addAccount() });
    await db.transact(async () => {});
    assert.deepEqual(asked, [true, false]);
  });
});
