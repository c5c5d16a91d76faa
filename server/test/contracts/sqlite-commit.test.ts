// Transactions share commits; when a commit fails, each of them must fail and none may have happened.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { recount } from '../../src/db/recount.js';
import { SqliteConnection } from '../../src/db/sqlite/connection.js';
import { useService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

describe('A commit that fails on SQLite', () => {
  // The worker writes now and then, and would consume the failure.
  const service = useService('sqlite', WITHOUT_WORKER);

  function failNextCommit(t: TestContext) {
    const exec = SqliteConnection.prototype.exec;
    let failed = 0;
    t.mock.method(SqliteConnection.prototype, 'exec', function (this: SqliteConnection, sql: string) {
      if (sql !== 'commit' || failed > 0) return exec.call(this, sql);
      failed++;
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
  }

  it('answers 507 to every request it carried, keeps none of their writes, and the next commit works', async (t) => {
    const org = await service.newOrganization();
    await org.addPost();
    failNextCommit(t);
    const create = (title: string) => org.call('POST', '/api/v1/posts', { title });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => create(`Post ${i}`)));
    const kept = answers.filter((answer) => answer.status === 201);
    const lost = answers.filter((answer) => answer.status === 507);
    assert.equal(kept.length + lost.length, 12);
    assert.ok(lost.length > 0, 'no commit failed: this would prove nothing');
    assert.ok(lost.every((answer) => answer.json.code === 'no_space'));

    const { json } = await org.call('GET', '/api/v1/posts');
    assert.equal(json.pagination.total, 1 + kept.length);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
    assert.equal((await create('Afterwards')).status, 201);
  });

  /** SQLite reports it like a full disk, and rolls back the transaction by itself. */
  async function limitPages(
    t: TestContext,
    create: () => Promise<unknown>,
  ): Promise<(pages: number) => void> {
    const { exec } = SqliteConnection.prototype;
    let writer: SqliteConnection | undefined;
    const mock = t.mock.method(
      SqliteConnection.prototype,
      'exec',
      function (this: SqliteConnection, sql: string) {
        if (sql === 'savepoint one') writer = this;
        return exec.call(this, sql);
      },
    );
    await create();
    mock.mock.restore();
    return (pages) => writer?.exec(`pragma max_page_count = ${pages}`);
  }

  it('answers 507 if a statement found the disk full, and the next commit works', async (t) => {
    const org = await service.newOrganization();
    const create = () => org.call('POST', '/api/v1/posts', { title: 'Full', caption: 'x'.repeat(2_000) });
    const limit = await limitPages(t, create);
    limit(1);
    const answers = await Promise.all(Array.from({ length: 40 }, create));
    const lost = answers.filter(({ status }) => status !== 201);
    assert.ok(lost.length > 0, 'nothing was full: this would prove nothing');
    assert.deepEqual(
      [...new Set(lost.map(({ status, json }) => `${status} ${json.code}`))],
      ['507 no_space'],
    );
    limit(1_000_000);
    assert.equal((await create()).status, 201);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });
});
