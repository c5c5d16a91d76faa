// The restore drill: a backup is restored while files and platform have changed since.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { removeOrphans } from '../../src/object-deletion/orphans.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { ENGINES } from '../support/databases/fresh-databases.js';
import { book, type Files, Installation, type Running } from '../support/installations/restore.js';
import { everyday } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization } from '../support/service/harness.js';
import { media, put, upload } from '../support/service/uploads.js';

const HOUR_MS = 3_600_000;

/** On ordinary days each engine and each store once, in the proofs each with each. */
const PLACES = ENGINES.flatMap((engine) =>
  (['disk', 's3'] as const satisfies Files[])
    .filter((files) => everyday((files === 'disk') === (engine === 'sqlite'), true))
    .map((files) => [engine, files] as const),
);

/** Published after the backup. */
const POSTS = everyday(4, 20);
/** Replaced after the backup. */
const VIDEOS = everyday(2, 10);
/** How many of the video posts are deleted after the backup. */
const DELETED = everyday(1, 5);

for (const [engine, files] of PLACES)
  describe(`restore drill (${engine}, ${files})`, () => {
    let installation: Installation;
    let running: Running;
    let org: Organization;
    let accountId: string;
    let objects: string[];
    const posts: string[] = [];
    const videos: string[] = [];
    const asOperator = (method: string, path: string, body?: unknown) =>
      running.request(method, `/api/admin/v1${path}`, { key: ADMIN_TOKEN, body });
    const call: Organization['call'] = (...given) => org.call(...given);
    const start = async () => {
      running = await installation.start();
      if (org) org = installation.organizationIn(running, org);
    };

    before(async () => {
      installation = await Installation.make(engine, files);
      await start();
      org = await installation.newOrganization(running);
      accountId = await org.connectAccount('drill');
      for (let i = 0; i < POSTS; i++)
        posts.push(await book(installation, org, accountId, `Post ${i}`, HOUR_MS + i * 1000));
      for (let i = 0; i < VIDEOS; i++) {
        const id = await org.addPost({ title: `Video ${i}`, post_type: 'video' });
        await upload(org, id, 'tiny.mp4');
        videos.push(id);
      }
      for (const id of videos) await call('GET', `/api/v1/posts/${id}/assets`);
      await running.stop();
      const restore = await installation.backUp();

      await start();
      for (const id of videos) await replaceVideo(id);
      for (const id of videos.slice(0, DELETED))
        assert.equal((await call('DELETE', `/api/v1/posts/${id}`)).status, 204);
      installation.advance(2 * HOUR_MS);
      while ((await call('GET', '/api/v1/posts?status=scheduled')).json.pagination.total > 0)
        await running.runOnce();
      assert.equal((await installation.visible()).size, POSTS);
      await running.stop();

      await restore();
      objects = await installation.objects();
      await start();
    });
    after(() => installation.remove());

    async function replaceVideo(id: string): Promise<void> {
      const body = { filename: 'other.mp4', content_type: 'video/mp4', replace: true };
      const { json } = await call('POST', `/api/v1/posts/${id}/assets`, body);
      assert.equal((await put(json.upload_url, media('tiny.mp4'), 'video/mp4')).status, 200);
      await call('GET', `/api/v1/posts/${id}/assets`);
    }

    it('reports safe mode in /readyz, in /me and in /metrics', async () => {
      const ready = await running.request('GET', '/readyz');
      assert.equal(ready.status, 200, ready.text);
      assert.equal(ready.json.safe_mode, true);
      assert.match(ready.json.safe_mode_reason, /older than the file store.*restored from a backup/);
      const me = (await call('GET', '/api/v1/me')).json.data;
      assert.deepEqual([me.safe_mode, me.safe_mode_reason], [true, ready.json.safe_mode_reason]);
      assert.match((await running.request('GET', '/metrics')).text, /^airdate_safe_mode 1$/m);
    });

    it('sends no due posts, now or later', async () => {
      const inits = (await installation.ledger()).length;
      for (let hour = 0; hour < 3; hour++) {
        await running.runOnce();
        installation.advance(HOUR_MS);
      }
      assert.equal((await installation.ledger()).length, inits);
    });

    it('answers requests that would call the platform with 503 safe_mode', async () => {
      const [id] = posts;
      const publish = { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' };
      for (const [method, path, body] of [
        ['POST', `/api/v1/posts/${id}/publish`, publish],
        ['POST', '/api/v1/social-accounts/connect', {}],
        ['GET', '/oauth/callback?state=x&code=y', undefined],
        ['DELETE', `/api/v1/social-accounts/${accountId}`, undefined],
        ['GET', `/api/v1/social-accounts/${accountId}/creator-info`, undefined],
      ] as const) {
        const answer = await call(method, path, body);
        assert.deepEqual([path, answer.status, answer.json.code], [path, 503, 'safe_mode']);
        assert.ok(Number(answer.headers.get('retry-after')) > 0);
      }
      const { json } = await call('GET', `/api/v1/posts/${id}/preflight`);
      assert.ok(json.data.problems.some(({ code }: { code: string }) => code === 'safe_mode'));
    });

    it('lets members edit, and removes no object, even of deleted posts', async () => {
      const id = (await call('POST', '/api/v1/posts', { title: 'Written meanwhile' })).json.data.id;
      const body = { filename: 'a.jpg', content_type: 'image/jpeg' };
      const granted = (await call('POST', `/api/v1/posts/${id}/assets`, body)).json;
      assert.equal((await put(granted.upload_url, media('slide.jpg'), 'image/jpeg')).status, 200);
      assert.equal((await call('GET', `/api/v1/posts/${id}/assets`)).json.data.length, 1);
      const kept = [...new Set([...objects, ...(await installation.objects())])].sort();
      assert.equal((await call('DELETE', `/api/v1/posts/${id}`)).status, 204);
      installation.advance(30 * HOUR_MS);
      await collectGarbage(running.app);
      await removeOrphans(running.app);
      assert.deepEqual(await installation.objects(), kept);
    });

    it('stays in safe mode after a restart', async () => {
      await running.stop();
      await start();
      assert.equal((await running.request('GET', '/readyz')).json.safe_mode, true);
    });

    it('is released by the operator, who gets a summary, and publishes nothing twice', async () => {
      const { status, json } = await asOperator('POST', '/release', {});
      assert.equal(status, 200, JSON.stringify(json));
      assert.deepEqual(json.data.drafted.map(({ post_id }: { post_id: string }) => post_id).sort(), posts);
      assert.deepEqual([json.data.kept, json.data.unknown, json.data.observed], [[], [], []]);
      assert.equal((await running.request('GET', '/readyz')).json.safe_mode, false);
      assert.equal((await asOperator('POST', '/release', {})).json.code, 'not_in_safe_mode');
      for (const id of posts) {
        const { data } = (await call('GET', `/api/v1/posts/${id}`)).json;
        assert.deepEqual([data.status, data.scheduled_at], ['draft', null]);
        assert.match(data.last_publish_error, /restored from a backup.*\(restored\)$/);
      }
      installation.advance(HOUR_MS);
      await running.runOnce();
      const visible = await installation.visible();
      assert.deepEqual(
        [...visible.values()].filter((times) => times !== 1),
        [],
      );
      assert.equal(visible.size, POSTS);
    });

    it('publishes on request after the release', async () => {
      // The tokens of the backup may have been renewed since, and be invalid.
      await org.connectAccount('drill');
      const id = await book(installation, org, accountId, 'Afterwards', 60_000);
      installation.advance(61_000);
      await running.runOnce();
      assert.equal((await call('GET', `/api/v1/posts/${id}`)).json.data.status, 'posted');
      assert.equal((await installation.visible()).get('Afterwards'), 1);
    });
  });
