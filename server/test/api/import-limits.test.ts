// What an import may not exceed, and that it happens once and whole.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { SLICES } from '../../src/core/slices.js';
import { recount } from '../../src/db/recount.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, useService } from '../support/service/harness.js';
import { countOf, fileOf, IMPORT, importCsv, imported, manyLines } from '../support/service/import-files.js';
import { assertProblem, at } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const DAY_MS = 86_400_000;
/** The most that one import may have. On ordinary days fewer: as many are read by the test of wrong lines. */
const MANY = everyday(1_000, 10_000);

onEngines('sqlite', 'POST /api/v1/posts/import: limits', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('imports many lines, and refuses more than 10,000', async () => {
    const org = await service.newOrganization();
    const result = await imported(org, fileOf(manyLines(MANY)));
    assert.deepEqual([result.created, new Set(result.ids).size, await countOf(org)], [MANY, MANY, MANY]);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
    assertProblem(await importCsv(org, fileOf(manyLines(10_001))), 400, 'validation_failed');
  });

  it('creates nothing if one line of many is wrong', async () => {
    const org = await service.newOrganization();
    const csv = fileOf(manyLines(MANY, (i) => (i === MANY - 1 ? { post_type: 'text' } : { post_type: '' })));
    const refused = await importCsv(org, csv);
    assertProblem(refused, 400, 'validation_failed');
    assert.deepEqual(refused.json.errors, [
      { pointer: '/csv', message: `line ${MANY + 1}, post_type: must be one of slides, video` },
    ]);
    assert.equal(await countOf(org), 0);
  });

  it('counts the problems of 10,000 wrong lines, and lists the first', async () => {
    const org = await service.newOrganization();
    const csv = fileOf(manyLines(10_000, () => ({ title: '', status: 'posted' })));
    const result = await imported(org, csv, { dry_run: true });
    assert.deepEqual([result.problem_count, result.problems.length, result.created], [20_000, 1_000, 0]);
    const refused = await importCsv(org, csv);
    assert.ok(refused.text.length < 50_000, `${refused.text.length} bytes`);
    assert.match(refused.json.detail, /20000 problems, so nothing was created. The first 100 are listed/);
  });

  it('takes a body of 5 MB, and no more', async () => {
    const org = await service.newOrganization();
    const long = (bytes: number) => `title,caption\n${'"A","b"\n'.repeat(bytes / 8)}`;
    assertProblem(await importCsv(org, long(6 * 1024 * 1024)), 413, 'payload_too_large');
    assertProblem(await importCsv(org, long(3 * 1024 * 1024)), 400, 'validation_failed');
  });

  it('is given up when its client is gone', async () => {
    const org = await service.newOrganization();
    let slices = 0;
    const sent = request(`${service.url}${IMPORT}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/json' },
    }).on('error', () => {});
    const listen = () => {
      // Its body was read in fewer.
      if (++slices === 100) sent.destroy();
    };
    SLICES.subscribe(listen);
    sent.end(JSON.stringify({ csv: `title,caption\n${',""\n'.repeat(600_000)}` }));
    await new Promise((closed) => sent.once('close', closed));
    // One import runs at a time: this one waits for the end of the other.
    await imported(org, fileOf(manyLines(1)));
    SLICES.unsubscribe(listen);
    assert.ok(slices >= 100 && slices < 250, `${slices} slices, of more than 600`);
    assert.equal(await countOf(org), 1);
  });

  it('repeats its response for an Idempotency-Key, and runs once', async () => {
    const org = await service.newOrganization();
    const csv = fileOf(manyLines(30));
    const headers = { 'idempotency-key': 'import-1' };
    const [one, two] = await Promise.all([
      importCsv(org, csv, {}, headers),
      importCsv(org, csv, {}, headers),
    ]);
    assert.deepEqual([one.status, two.status, one.text === two.text], [200, 200, true]);
    const again = await importCsv(org, csv, {}, headers);
    assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [one.text, 'true']);
    assertProblem(await importCsv(org, fileOf(manyLines(2)), {}, headers), 422, 'idempotency_key_reused');
    assert.equal(await countOf(org), 30);
  });

  it('needs posts:publish for scheduled lines', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const key = await org.keyWith(['posts:read', 'posts:write']);
    const send = (csv: string) => service.request('POST', IMPORT, { key, body: { csv } });
    const slot = {
      status: 'scheduled',
      scheduled_at: at(service.clock.now() + DAY_MS),
      social_account_id: account,
      privacy_level: 'SELF_ONLY',
    };
    assertProblem(await send(fileOf([{ title: 'Slot', ...slot }])), 403, 'insufficient_scope');
    assert.equal((await send(fileOf([{ title: 'Draft' }]))).status, 200);
    assert.equal(await countOf(org), 1);
  });

  it('counts the posts of the day, all or none', async () => {
    const org = await service.newOrganization();
    const limit = await service.request('PATCH', `/api/admin/v1/organizations/${org.id}`, {
      key: ADMIN_TOKEN,
      body: { quotas: { posts_per_day: 5 } },
    });
    assert.equal(limit.status, 200, limit.text);
    assertProblem(await importCsv(org, fileOf(manyLines(6))), 409, 'quota_exceeded');
    assert.equal((await imported(org, fileOf(manyLines(3)))).created, 3);
    assertProblem(await importCsv(org, fileOf(manyLines(3))), 409, 'quota_exceeded');
    assert.equal((await imported(org, fileOf(manyLines(2)))).created, 2);
    assertProblem(await importCsv(org, fileOf(manyLines(1))), 409, 'quota_exceeded');
    assert.equal(await countOf(org), 5);
    service.clock.advance(DAY_MS);
    try {
      assertProblem(await importCsv(org, fileOf(manyLines(6))), 409, 'quota_exceeded');
      assert.equal((await imported(org, fileOf(manyLines(5)))).created, 5);
      assertProblem(await importCsv(org, fileOf(manyLines(1))), 409, 'quota_exceeded');
    } finally {
      service.clock.resume();
    }
  });
});
