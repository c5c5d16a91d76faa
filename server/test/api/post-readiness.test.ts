import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertRefused,
  changePost,
  listPosts,
  readyPost,
  setPost,
  slot,
} from '../support/service/posts.js';
import { grant, media, put, removeOne, upload, WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/posts';

async function readinessOf(org: Organization, id: string) {
  const query = { include: 'readiness' } as const;
  const { data } = await org.sdk.request('GET', '/api/v1/posts/{id}', { path: { id }, query });
  return data.readiness;
}

const codesOf = async (org: Organization, id: string) =>
  (await readinessOf(org, id))?.problems.map(({ code }) => code);

onEngines('sqlite', 'GET /api/v1/posts?include=readiness', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('is optional, combines with cover, and takes no other word', async () => {
    const org = await service.newOrganization();
    const id = await readyPost(org);
    for (const path of [PATH, `${PATH}/${id}`]) {
      const fieldsOf = async (include: string) => {
        const { status, json, headers } = await org.call('GET', `${path}?include=${include}`);
        assert.equal(status, 200);
        assert.equal(headers.get('etag'), null);
        const post = path === PATH ? json.data[0] : json.data;
        return ['cover_url', 'readiness'].filter((field) => field in post);
      };
      assert.deepEqual(await fieldsOf('readiness'), ['readiness']);
      assert.deepEqual(await fieldsOf('cover,readiness'), ['cover_url', 'readiness']);
      assert.deepEqual(await fieldsOf('readiness,cover'), ['cover_url', 'readiness']);
      assert.deepEqual(await fieldsOf('cover'), ['cover_url']);
      for (const include of ['ready', 'cover,ready', 'readiness,', 'cover;readiness', 'readiness,readiness'])
        assertRefused(await org.call('GET', `${path}?include=${include}`), 'include');
    }
  });

  it('tells each post of a page what is in its way, and nothing to posts that need not go out', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    await upload(other, await other.addPost(), 'slide.png');
    const gone = await org.addAccount('reconnect_required');
    const draft = await readyPost(org);
    const empty = await addPostIn(service, org, 'scheduled', { post_type: 'video' });
    const lost = await readyPost(org);
    await changePost(org, lost, await slot(service, org, gone));
    const ready = await readyPost(org, 'video');
    await changePost(org, ready, await slot(service, org));
    const posted = await addPostIn(service, org, 'posted');
    const shown = (await listPosts(org, { include: 'readiness' })).data.map(({ id, readiness }) => [
      id,
      readiness === null ? null : [readiness?.ready, ...(readiness?.problems ?? []).map(({ code }) => code)],
    ]);
    assert.deepEqual(Object.fromEntries(shown), {
      [draft]: [false, 'account_missing'],
      [empty]: [false, 'no_media'],
      [lost]: [false, 'reconnect_required'],
      [ready]: [true],
      [posted]: null,
    });
    assert.deepEqual(await readinessOf(org, empty), {
      ready: false,
      problems: [{ code: 'no_media', detail: 'Add the video.', pointer: null, level: 'error' }],
    });
  });

  it('follows uploads: on their way, arrived, removed, and never arrived', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    assert.deepEqual(await codesOf(org, id), ['no_media']);
    const granted = await grant(org, id);
    assert.deepEqual(await codesOf(org, id), ['uploads_pending']);
    assert.equal((await put(granted.upload_url, media('slide.png'), 'image/png')).status, 200);
    assert.deepEqual(await codesOf(org, id), []);
    assert.equal((await removeOne(org, id, granted.object_key)).status, 204);
    assert.deepEqual(await codesOf(org, id), ['no_media']);
    const part = await readyPost(org);
    await changePost(org, part, await slot(service, org));
    await grant(org, part);
    const { ready, problems } = (await readinessOf(org, part)) ?? {};
    assert.deepEqual(
      [ready, problems?.map(({ code, level }) => [code, level])],
      [true, [['uploads_pending', 'warning']]],
    );
    await grant(org, id);
    service.clock.advance(3_601_000);
    assert.deepEqual(await codesOf(org, id), ['no_media']);
    service.clock.resume();
  });

  it('counts text and files as the platform does', async () => {
    const org = await service.newOrganization();
    const id = await readyPost(org, 'video', { caption: 'a'.repeat(2_200) });
    await changePost(org, id, await slot(service, org));
    const found = await readinessOf(org, id);
    assert.deepEqual(
      found?.problems.map(({ code, pointer }) => [code, pointer]),
      [['caption_too_long', '/caption']],
    );
    await setPost(service, id, { hashtags: null });
    assert.equal((await readinessOf(org, id))?.ready, true);
  });

  it('reads accounts and files of a whole page with one statement each', async () => {
    const org = await service.newOrganization();
    const sent: Statement[] = [];
    for (let n = 0; n < 12; n++) await addPostIn(service, org, 'scheduled');
    const stop = statementsOf(engine, sent);
    try {
      await listPosts(org, { include: 'readiness', per_page: 10 });
    } finally {
      stop();
    }
    for (const table of ['assets', 'social_accounts'])
      assert.equal(sent.filter(({ text }) => text.includes(`from "${table}"`)).length, 1, table);
  });
});
