import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import pg from 'pg';
import { recount } from '../../src/db/recount.js';
import { uploadKey } from '../../src/object-store/object-keys.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { quotasOf, setQuotas } from '../support/service/quotas.js';
import {
  askForUpload,
  beginPut,
  complete,
  GRACE_MS,
  grant,
  listAssets,
  media,
  put,
  removeOne,
  storedFor,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

const SLIDE = media('slide.png').length;
const VIDEO = media('tiny.mp4').length;
const PNG = { filename: 'a.png', content_type: 'image/png' } as const;

/** The codes of Postgres's errors, also of transactions that are run again. */
function watchFaults(): { codes: unknown[]; end(): void } {
  const codes: unknown[] = [];
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  const watching = mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const answer = query.apply(this, args);
    if (answer instanceof Promise) answer.catch(({ code }) => codes.push(code));
    return answer;
  });
  return { codes, end: () => watching.mock.restore() };
}

onEngines('sqlite', 'a quota of bytes', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  async function newPost(bytes: number | null, post_type = 'slides') {
    const org = await service.newOrganization();
    if (bytes !== null) await setQuotas(service, org, { bytes });
    return { org, id: await org.addPost({ post_type }) };
  }
  const used = async (org: Organization) => {
    assert.deepEqual(await recount(service.app.db, ['bytes']), []);
    return (await quotasOf(org)).bytes.used;
  };

  it('counts a file without an announced length from its arrival on, also while its post is archived', async () => {
    const { org, id } = await newPost(null);
    const { upload_url } = await grant(org, id, PNG);
    const { body, answer } = beginPut(upload_url, 'image/png');
    await until('it has arrived', async () => (await storedFor(service, org)).length === 1);
    const batch = async (action: string) => {
      const { status, text } = await org.call('PATCH', '/api/v1/posts/batch', { ids: [id], action });
      assert.equal(status, 200, text);
    };
    await batch('archive');
    body.end(media('slide.png'));
    const { status, json } = await answer;
    assert.deepEqual([status, json.code], [409, 'wrong_state']);
    assert.equal(await used(org), SLIDE);
    await batch('unarchive');
    assert.equal((await listAssets(org, id)).data.length, 1);
    assert.equal(await used(org), SLIDE);
  });

  it('counts a file that has arrived and could not be inspected yet: a PUT that ends in 503 leaves no gap', async (t) => {
    const { org, id } = await newPost(SLIDE + 10);
    const { upload_url, object_key } = await grant(org, id);
    const away = t.mock.method(service.app.store, 'read', () => Promise.reject(new Error('away')));
    const answer = await put(upload_url, media('slide.png'), 'image/png');
    assert.deepEqual([answer.status, answer.json.code], [503, 'unavailable']);
    assert.equal(await used(org), SLIDE);
    const refused = await askForUpload(org, id, { ...PNG, content_length: 11 });
    assert.deepEqual([refused.status, refused.json.code], [409, 'quota_exceeded']);
    away.mock.restore();
    assert.equal((await complete(org, id, object_key)).status, 200);
    assert.equal(await used(org), SLIDE);
  });

  it('takes back an arrived file that is gone, and counts the one that takes its place', async (t) => {
    const { org, id } = await newPost(SLIDE);
    const { upload_url, object_key } = await grant(org, id);
    const { store } = service.app;
    const away = t.mock.method(store, 'read', () => Promise.reject(new Error('away')));
    assert.equal((await put(upload_url, media('slide.png'), 'image/png')).status, 503);
    assert.equal(await used(org), SLIDE);
    await store.remove(uploadKey(object_key));
    assert.equal((await complete(org, id, object_key)).json.code, 'upload_incomplete');
    assert.equal(await used(org), 0);
    await store.write(uploadKey(object_key), Buffer.alloc(SLIDE - 1));
    assert.equal((await complete(org, id, object_key)).status, 503);
    assert.equal(await used(org), SLIDE - 1);
    // As on S3, where a file can be sent again. It fits exactly: what counted of the one before is not asked for again.
    await store.remove(uploadKey(object_key));
    await store.write(uploadKey(object_key), Buffer.from(media('slide.png')));
    away.mock.restore();
    assert.equal((await complete(org, id, object_key)).status, 200);
    assert.equal(await used(org), SLIDE);
  });

  it('counts a grant with what it announces, and a file with its size, until it is deleted', async () => {
    const { org, id } = await newPost(null);
    const granted = await grant(org, id, { content_length: SLIDE });
    assert.equal(await used(org), SLIDE);
    await put(granted.upload_url, media('slide.png'), 'image/png');
    assert.equal(await used(org), SLIDE);
    const second = await upload(org, id, 'small.jpg');
    const both = SLIDE + media('small.jpg').length;
    assert.equal(await used(org), both);
    await removeOne(org, id, second.object_key);
    assert.equal(await used(org), SLIDE);
    await org.call('DELETE', `/api/v1/posts/${id}`);
    assert.equal(await used(org), 0);
  });

  it('refuses a grant beyond it with 409, before any byte is sent, and leaves nothing', async () => {
    const { org, id } = await newPost(SLIDE + 10);
    await upload(org, id, 'slide.png', { content_length: SLIDE });
    const refused = await askForUpload(org, id, { ...PNG, content_length: 11 });
    assert.equal(refused.status, 409);
    assert.equal(refused.json.code, 'quota_exceeded');
    assert.match(
      refused.json.detail,
      /^The organization stores [\d.]+ \wB of its [\d.]+ \wB\. This file is 11 bytes, and there's room for 10 bytes\. Delete/,
    );
    assert.equal(await used(org), SLIDE);
    assert.equal((await askForUpload(org, id, { ...PNG, content_length: 10 })).status, 200);
    assert.equal(await used(org), SLIDE + 10);
  });

  it('takes back what a rejected or cancelled upload had reserved', async () => {
    const { org, id } = await newPost(null);
    const lie = await grant(org, id, { content_length: 100 });
    assert.equal((await put(lie.upload_url, new Uint8Array(100), 'image/png')).status, 422);
    assert.equal(await used(org), 0);
    const cancelled = await grant(org, id, { content_length: 100 });
    await removeOne(org, id, cancelled.object_key);
    assert.equal(await used(org), 0);
  });

  it('takes back an abandoned grant when it is swept', async () => {
    const { org, id } = await newPost(null);
    await grant(org, id, { content_length: 100 });
    service.clock.advance(3_600_000 + GRACE_MS);
    await collectGarbage(service.app);
    assert.equal(await used(org), 0);
    service.clock.resume();
  });

  it('counts a replaced video until it is removed from the store', async () => {
    const { org, id } = await newPost(null, 'video');
    await upload(org, id, 'tiny.mp4', { content_length: VIDEO });
    // A cancelled grant is given back by the one that replaces it.
    const other = { content_type: 'video/mp4', content_length: 500, replace: true } as const;
    await grant(org, id, { filename: 'x.mp4', ...other });
    await grant(org, id, { filename: 'y.mp4', ...other });
    assert.equal(await used(org), VIDEO + 500);
    await upload(org, id, 'tiny.webm', { replace: true });
    const webm = media('tiny.webm').length;
    assert.equal(await used(org), VIDEO + webm);
    service.clock.advance(GRACE_MS + 1);
    await collectGarbage(service.app);
    assert.equal(await used(org), webm);
    service.clock.resume();
  });

  it('admits a grant without content_length while anything is left, and counts it on arrival', async () => {
    const { org, id } = await newPost(SLIDE);
    const [first, second] = [await grant(org, id), await grant(org, id)];
    assert.equal(await used(org), 0);
    assert.equal((await put(first.upload_url, media('slide.png'), 'image/png')).status, 200);
    assert.equal(await used(org), SLIDE);
    // Nothing is left: neither for a new grant nor for an upload to an older one.
    assert.equal((await askForUpload(org, id, PNG)).status, 409);
    const late = await put(second.upload_url, media('small.jpg'), 'image/png');
    assert.equal(late.status, 409);
    assert.equal(late.json.code, 'quota_exceeded');
    assert.equal((await listAssets(org, id)).data.length, 1);
  });

  it('refuses a PUT whose Content-Length is beyond the rest before its body, and cuts off one without where the rest ends', async () => {
    const { org, id } = await newPost(1000);
    const { upload_url } = await grant(org, id);
    const long = beginPut(upload_url, 'image/png', { 'content-length': 1_000_000 });
    const refused = await long.answer;
    assert.equal(refused.status, 409);
    assert.match(refused.json.detail, /This file is 1 MB, and there's room for 1 kB/);
    long.body.destroy();
    const chunked = beginPut(upload_url, 'image/png');
    chunked.body.write(new Uint8Array(600));
    chunked.body.write(new Uint8Array(600));
    const cut = await chunked.answer;
    assert.equal(cut.status, 409);
    assert.equal(cut.json.code, 'quota_exceeded');
    chunked.body.destroy();
    await until('no bytes are left', async () => (await storedFor(service, org)).length === 0);
    assert.equal(await used(org), 0);
    // The same URL takes a file that fits.
    await setQuotas(service, org, { bytes: null });
    assert.equal((await put(upload_url, media('slide.png'), 'image/png')).status, 200);
  });

  it('is shared by uploads without a length that arrive at the same time', async () => {
    const { org, id } = await newPost(1000);
    const urls = [await grant(org, id), await grant(org, id)];
    const [first, second] = urls.map(({ upload_url }) => beginPut(upload_url, 'image/png'));
    assert.ok(first && second);
    await until('they have arrived', async () => (await storedFor(service, org)).length === 2);
    first.body.write(new Uint8Array(800));
    second.body.write(new Uint8Array(600));
    const answer = await Promise.race([second.answer, first.answer]);
    assert.equal(answer.status, 409);
    first.body.destroy();
    second.body.destroy();
    await until('no bytes are left', async () => (await storedFor(service, org)).length === 0);
    const third = beginPut((await grant(org, id)).upload_url, 'image/png');
    third.body.end(new Uint8Array(900));
    // Whole, and so refused for what it is, not for its size.
    assert.equal((await third.answer).status, 422);
  });

  it('is counted exactly while grants, uploads, deletions and requests with an Idempotency-Key run at the same time', async () => {
    const org = await service.newOrganization();
    await setQuotas(service, org, { bytes: 20 * SLIDE, posts_per_day: 1_000 });
    const story = async (n: number) => {
      const headers = { 'idempotency-key': `post-${n}` };
      const { json } = await org.call('POST', '/api/v1/posts', { title: 'A post' }, headers);
      const { id } = json.data;
      for (const length of [{ content_length: SLIDE }, {}]) {
        const key = { 'idempotency-key': `upload-${n}-${JSON.stringify(length).length}` };
        const granted = await askForUpload(org, id, { ...PNG, ...length }, key);
        if (granted.status === 200) await put(granted.json.upload_url, media('slide.png'), 'image/png');
      }
      const { status } = n % 2 === 0 ? await org.call('DELETE', `/api/v1/posts/${id}`) : { status: 204 };
      assert.equal(status, 204);
    };
    const faults = watchFaults();
    await Promise.all(Array.from({ length: 16 }, (_, n) => story(n)));
    const stored = await service.app.db.read
      .selectFrom('assets')
      .select((eb) => eb.fn.sum<number>('size').as('n'))
      .where('org_id', '=', org.id)
      .where('state', '=', 'ready')
      .executeTakeFirstOrThrow();
    assert.ok((await used(org)) > stored.n && stored.n > 0 && stored.n <= 20 * SLIDE);
    faults.end();
    assert.ok(!faults.codes.includes('40P01'), 'transactions waited for each other');
  });

  it('of an organization that is already over it: reads and deletes work, uploads are 409', async () => {
    const { org, id } = await newPost(null);
    const { object_key } = await upload(org, id, 'slide.png');
    await setQuotas(service, org, { bytes: 1000 });
    assert.equal((await quotasOf(org)).bytes.used, SLIDE);
    assert.equal((await askForUpload(org, id, { ...PNG, content_length: 1 })).status, 409);
    assert.equal((await askForUpload(org, id, PNG)).status, 409);
    const [asset] = (await listAssets(org, id)).data;
    assert.equal((await fetch(asset?.url ?? '')).status, 200);
    assert.equal((await org.call('PATCH', `/api/v1/posts/${id}`, { title: 'Still mine' })).status, 200);
    assert.equal((await org.call('POST', '/api/v1/posts', { title: 'Another' })).status, 201);
    assert.equal((await removeOne(org, id, object_key)).status, 204);
    assert.equal((await askForUpload(org, id, { ...PNG, content_length: 1000 })).status, 200);
  });
});
