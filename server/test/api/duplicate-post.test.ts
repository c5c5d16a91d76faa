import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, it } from 'node:test';
import { copyFiles, createDuplicate, discardCopies } from '../../src/assets/duplicate.js';
import { recount } from '../../src/db/recount.js';
import { removeOrphans } from '../../src/object-deletion/orphans.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertProblem,
  assertRefused,
  changePost,
  listIds,
  POST_FIELDS,
  readPost,
  STATUSES,
  setPost,
  slot,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { quotasOf, setQuotas } from '../support/service/quotas.js';
import type { Answer } from '../support/service/send.js';
import {
  download,
  GRACE_MS,
  listAssets,
  listKeys,
  media,
  removeOne,
  reorder,
  slidesAt,
  storedFor,
  storeFolder,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

const SLIDE = media('slide.png').length;

const duplicate = (org: Organization, id: string, headers?: Record<string, string>) =>
  org.call('POST', `/api/v1/posts/${id}/duplicate`, undefined, headers);

onEngines('sqlite', 'POST /api/v1/posts/:id/duplicate', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  let repair = () => {};
  afterEach(() => {
    repair();
    repair = () => {};
    service.clock.resume();
  });

  const callerOf = async (org: Organization) => {
    const found = service.app.keyCache.find(org.key);
    const caller = found instanceof Promise ? await found : found;
    assert.ok(caller);
    return { ...caller, address: '127.0.0.1' };
  };
  /** The bytes of files that are stored and counted, which must agree. */
  const used = async (org: Organization) => {
    assert.deepEqual(await recount(service.app.db, ['bytes']), []);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
    const row = await service.app.db.read
      .selectFrom('stored_bytes')
      .select('n')
      .where('org_id', '=', org.id)
      .where('kind', '=', 'files')
      .executeTakeFirst();
    return row?.n ?? 0;
  };
  async function created(answer: Answer): Promise<string> {
    assert.equal(answer.status, 201, answer.text);
    return answer.json.data.id;
  }
  /** The next copy in the store fails, or does something first. */
  function onCopy(act: () => Promise<void>) {
    const { store } = service.app;
    const { copy } = store;
    Object.assign(store, {
      copy: async (from: string, to: string) => {
        await act();
        return copy(from, to);
      },
    });
    repair = () => Object.assign(store, { copy });
  }

  it('makes a draft with the text, labels, account and mode, without slot, privacy, toggles and outcome', async () => {
    const org = await service.newOrganization();
    const label = (await org.call('POST', '/api/v1/labels', { name: 'A', colour: 'red' })).json.data.id;
    const text = { title: 'Maps', caption: 'Fold them.', hashtags: '#maps' };
    const id = await org.addPost({ ...text, post_type: 'video', labels: [label] });
    await changePost(org, id, {
      ...(await slot(service, org)),
      publish_mode: 'inbox',
      cover_ms: 1500,
      disable_comment: true,
      brand_organic_toggle: true,
    });
    await setPost(service, id, { last_publish_error: 'It failed.', publish_retries: 3 });
    const before = await readPost(org, id);
    const answer = await duplicate(org, id);
    const copy = await created(answer);
    assert.notEqual(copy, id);
    assert.equal(answer.headers.get('location'), `/api/v1/posts/${copy}`);
    const post = await org.call('GET', `/api/v1/posts/${copy}`);
    assert.equal(post.headers.get('etag'), answer.headers.get('etag'));
    assert.deepEqual(post.json, answer.json);
    assert.deepEqual(Object.keys(post.json.data).sort(), [...POST_FIELDS].sort());
    const { created_at: _, updated_at: __, ...fields } = post.json.data;
    assert.deepEqual(fields, {
      ...text,
      id: copy,
      org_id: org.id,
      post_type: 'video',
      status: 'draft',
      last_slot: null,
      scheduled_at: null,
      posted_at: null,
      social_account_id: before.social_account_id,
      publish_mode: 'inbox',
      publish_retries: 0,
      last_publish_error: null,
      in_inbox: false,
      privacy_level: null,
      disable_comment: false,
      disable_duet: false,
      disable_stitch: false,
      brand_content_toggle: false,
      brand_organic_toggle: false,
      labels: [label],
      cover_index: null,
      cover_ms: 1500,
    });
    assert.deepEqual(await readPost(org, id), before);
    assert.deepEqual(await listIds(org, { label }), [copy, id]);
    assert.deepEqual(await listIds(org, { q: 'fold' }), [copy, id]);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  for (const status of STATUSES)
    it(`copies a post that is ${status}, with its files in order`, async () => {
      const org = await service.newOrganization();
      const id = await org.addPost();
      const first = (await upload(org, id, 'slide.png')).object_key;
      const second = (await upload(org, id, 'slide.jpg')).object_key;
      assert.equal((await reorder(org, id, [second, first])).status, 200);
      if (status === 'scheduled') await changePost(org, id, await slot(service, org));
      else if (status === 'archived')
        await org.call('PATCH', '/api/v1/posts/batch', { ids: [id], action: 'archive' });
      else await setPost(service, id, { status });
      const before = (await used(org)) / 2;
      const copy = await created(await duplicate(org, id));
      assert.equal(await used(org), 4 * before);
      const [originals, copies] = [(await listAssets(org, id)).data, (await listAssets(org, copy)).data];
      const facts = ({ url: _, thumbnail_url: __, object_key: ___, ...rest }: (typeof copies)[number]) =>
        rest;
      assert.deepEqual(copies.map(facts), originals.map(facts));
      for (const [i, asset] of copies.entries()) {
        assert.match(
          asset.object_key,
          new RegExp(`^orgs/${org.id}/posts/${copy}/slides/slide-[0-9a-f]{12}\\.`),
        );
        for (const name of ['url', 'thumbnail_url'] as const) {
          const [own, original] = [await download(asset[name]!), await download(originals[i]![name]!)];
          assert.equal(own.response.status, 200);
          assert.deepEqual(own.bytes, original.bytes);
        }
      }
    });

  it('has no account if that of the original is not connected any more', async () => {
    const org = await service.newOrganization();
    const [gone, lost] = [await org.addAccount(), await org.addAccount()];
    for (const social_account_id of [gone, lost]) {
      const id = await org.addPost({ social_account_id });
      if (social_account_id === gone)
        assert.equal((await org.call('DELETE', `/api/v1/social-accounts/${gone}`)).status, 204);
      else
        await service.app.db.transact((tx) =>
          tx
            .updateTable('social_accounts')
            .set({ status: 'reconnect_required' })
            .where('id', '=', lost)
            .execute(),
        );
      const copy = await created(await duplicate(org, id));
      assert.equal((await readPost(org, copy)).social_account_id, null);
    }
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('makes files that outlive those of the original, and the other way round', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    await upload(org, id, 'tiny.mp4');
    const copy = await created(await duplicate(org, id));
    const second = await created(await duplicate(org, copy));
    const [key] = await listKeys(org, copy);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
    assert.equal((await removeOne(org, second, (await listKeys(org, second))[0]!)).status, 204);
    const [asset] = (await listAssets(org, copy)).data;
    assert.deepEqual((await download(asset!.url)).bytes, media('tiny.mp4'));
    assert.deepEqual(await storedFor(service, org), [key]);
    assert.equal(await used(org), media('tiny.mp4').length);
    // A file in the same place as the copied one takes its own way.
    const replaced = await upload(org, copy, 'tiny.mp4', { replace: true });
    assert.deepEqual(await listKeys(org, copy), [replaced.object_key]);
  });

  it('is 404 for an unknown post, and refuses a body with fields', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    for (const id of [UNKNOWN_ID, 'x', await other.addPost()])
      assertProblem(await duplicate(org, id), 404, 'not_found');
    const id = await org.addPost();
    assertRefused(await org.call('POST', `/api/v1/posts/${id}/duplicate`, { title: 'x' }), 'title');
    assert.equal((await org.call('POST', `/api/v1/posts/${id}/duplicate`, {})).status, 201);
  });

  it('is refused by the quota of bytes before any byte is copied', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await upload(org, id, 'slide.png');
    await upload(org, id, 'slide.png');
    await setQuotas(service, org, { bytes: 4 * SLIDE - 1 });
    const before = await storedFor(service, org);
    onCopy(async () => assert.fail('a file is copied'));
    const refused = await duplicate(org, id);
    assertProblem(refused, 409, 'quota_exceeded');
    assert.match(refused.json.detail, /The files of the post take .*, and there's room for .*\. Delete/);
    repair();
    assert.deepEqual(await storedFor(service, org), before);
    assert.equal(await used(org), 2 * SLIDE);
    assert.equal((await listIds(org)).length, 1);
    await setQuotas(service, org, { bytes: 4 * SLIDE });
    await created(await duplicate(org, id));
    assertProblem(await duplicate(org, id), 409, 'quota_exceeded');
  });

  it('counts as a post of today, and is refused before a file is copied', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await upload(org, id, 'slide.png');
    await setQuotas(service, org, { posts_per_day: 2 });
    await created(await duplicate(org, id));
    const before = await storedFor(service, org);
    onCopy(async () => assert.fail('a file is copied'));
    assertProblem(await duplicate(org, id), 409, 'quota_exceeded');
    assert.deepEqual(await storedFor(service, org), before);
    assert.equal((await quotasOf(org)).posts_per_day.used, 2);
  });

  it('of two requests at once takes the last room once', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await upload(org, id, 'slide.png');
    await setQuotas(service, org, { bytes: 2 * SLIDE });
    const answers = await Promise.all([1, 2, 3].map(() => duplicate(org, id)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
    assert.equal(await used(org), 2 * SLIDE);
  });

  it('is done once for each Idempotency-Key, and a refusal is kept', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key } = await upload(org, id, 'slide.png');
    const key = { 'idempotency-key': 'copy-1' };
    const answers = await Promise.all([1, 2, 3].map(() => duplicate(org, id, key)));
    const ids = new Set(await Promise.all(answers.map(created)));
    assert.equal(ids.size, 1);
    onCopy(async () => assert.fail('a file is copied again'));
    const again = await duplicate(org, id, key);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.ok(ids.has(await created(again)));
    repair();
    const [copy] = [...ids] as [string];
    assert.deepEqual(await storedFor(service, org), slidesAt(object_key, ...(await listKeys(org, copy))));
    assert.equal(await used(org), 2 * SLIDE);
    assertProblem(
      await org.call('POST', `/api/v1/posts/${copy}/duplicate`, undefined, key),
      422,
      'idempotency_key_reused',
    );
    await setQuotas(service, org, { bytes: 2 * SLIDE });
    const full = { 'idempotency-key': 'copy-2' };
    assertProblem(await duplicate(org, id, full), 409, 'quota_exceeded');
    await setQuotas(service, org, { bytes: null });
    assertProblem(await duplicate(org, id, full), 409, 'quota_exceeded');
  });

  it('that fails in the store creates nothing, leaves nothing and counts nothing', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key } = await upload(org, id, 'slide.png');
    await upload(org, id, 'slide.jpg');
    const before = await storedFor(service, org);
    const bytes = await used(org);
    let n = 0;
    onCopy(async () => {
      if (++n === 3) throw new Error('the store is away');
    });
    const key = { 'idempotency-key': 'copy-3' };
    assertProblem(await duplicate(org, id, key), 503, 'unavailable');
    assert.deepEqual(await storedFor(service, org), before);
    assert.equal(await used(org), bytes);
    assert.deepEqual(await listIds(org), [id]);
    repair();
    // A file that is removed while it is copied.
    onCopy(async () => {
      repair();
      assert.equal((await removeOne(org, id, object_key)).status, 204);
    });
    assertProblem(await duplicate(org, id, key), 503, 'unavailable');
    await created(await duplicate(org, id, key));
  });

  it('whose process stops after the copies leaves bytes that are counted, and that the worker removes', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key } = await upload(org, id, 'slide.png');
    const { app } = service;
    const caller = await callerOf(org);
    const copies = await copyFiles(app, caller, id);
    const [copied] = copies.files.map(({ row }) => row.object_key) as [string];
    assert.deepEqual(await listIds(org), [id]);
    assert.equal(await used(org), 2 * SLIDE);
    // As old as the file that it is a second name of.
    const then = (Date.now() - 3 * GRACE_MS) / 1000;
    await utimes(join(storeFolder(service), copied), then, then);
    await removeOrphans(app);
    await collectGarbage(app);
    assert.deepEqual(await storedFor(service, org), slidesAt(object_key, copied));
    service.clock.advance(GRACE_MS + 1_000);
    await collectGarbage(app);
    assert.deepEqual(await storedFor(service, org), slidesAt(object_key));
    assert.equal(await used(org), SLIDE);
    // Should it go on after all, it finds its copies gone.
    await assert.rejects(
      app.db.transact((tx) => createDuplicate(app, tx, caller, copies)),
      /took too long/,
    );
    assert.deepEqual(await listIds(org), [id]);
  });

  it('that has committed keeps its files, whatever its process takes for the outcome', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key } = await upload(org, id, 'slide.png');
    const { app } = service;
    const caller = await callerOf(org);
    const copies = await copyFiles(app, caller, id);
    await app.db.transact((tx) => createDuplicate(app, tx, caller, copies));
    await discardCopies(app, copies);
    service.clock.advance(2 * GRACE_MS);
    await collectGarbage(app);
    const keys = await listKeys(org, copies.postId);
    assert.deepEqual(await storedFor(service, org), slidesAt(object_key, ...keys));
    assert.equal(await used(org), 2 * SLIDE);
  });

  it('leaves out a label that is deleted meanwhile', async () => {
    const org = await service.newOrganization();
    const label = async (name: string) =>
      (await org.call('POST', '/api/v1/labels', { name, colour: 'red' })).json.data.id;
    const [a, b] = [await label('A'), await label('B')];
    const id = await addPostIn(service, org, 'posted', { labels: [a, b] });
    const caller = await callerOf(org);
    const copies = await copyFiles(service.app, caller, id);
    assert.equal((await org.call('DELETE', `/api/v1/labels/${a}`)).status, 204);
    await service.app.db.transact((tx) => createDuplicate(service.app, tx, caller, copies));
    assert.deepEqual((await readPost(org, copies.postId)).labels, [b]);
  });
});
