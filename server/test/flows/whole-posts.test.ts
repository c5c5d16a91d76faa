// A post goes out with every file that Airdate was asked to fetch for it, or not at all.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { sweepUploads } from '../../src/assets/sweep.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { answering, FETCHING, useFileHost } from '../support/service/fetched-files.js';
import type { Organization } from '../support/service/harness.js';
import { fileOf, imported } from '../support/service/import-files.js';
import { at, changePost, readPost } from '../support/service/posts.js';
import { GRACE_MS, listAssets, media, upload } from '../support/service/uploads.js';
import { type Creator, HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const DAY_MS = 24 * HOUR_MS;

/** What the third file of a post is when the post is to go out. */
type Missing =
  | 'pending'
  | 'arriving'
  | 'retrying'
  | 'not found'
  | 'unavailable'
  | 'no image'
  | 'rejected long ago'
  | 'expired'
  | 'replaced, pending'
  | 'replaced, rejected'
  | 'removed'
  | 'the only file, pending'
  | 'the only file, rejected';

const WAYS = ['now', 'scheduled', 'bulk', 'import'] as const;
type Way = (typeof WAYS)[number];

/** What publish now answers, the post after its slot, and how many slides go out once the cause is gone. */
interface Expected {
  now: string;
  slot: string;
  cure: 'arrives' | 'is removed' | 'none';
  afterwards: string;
}

const WAITS = { now: '409 uploads_pending', slot: 'scheduled uploads_pending' };
const FAILS = { now: '422 media_rejected', slot: 'draft media_rejected' };

const TABLE: Record<Missing, Expected> = {
  pending: { ...WAITS, cure: 'arrives', afterwards: '3 slides' },
  arriving: { ...WAITS, cure: 'arrives', afterwards: '3 slides' },
  retrying: { ...WAITS, cure: 'arrives', afterwards: '3 slides' },
  'not found': { ...FAILS, cure: 'is removed', afterwards: '2 slides' },
  unavailable: { ...FAILS, cure: 'is removed', afterwards: '2 slides' },
  'no image': { ...FAILS, cure: 'is removed', afterwards: '2 slides' },
  'rejected long ago': { ...FAILS, cure: 'is removed', afterwards: '2 slides' },
  expired: { ...FAILS, cure: 'is removed', afterwards: '2 slides' },
  'replaced, pending': { ...WAITS, cure: 'arrives', afterwards: '3 slides' },
  'replaced, rejected': { ...FAILS, cure: 'is removed', afterwards: '2 slides' },
  removed: { now: '200', slot: 'posted', cure: 'none', afterwards: '2 slides' },
  'the only file, pending': { ...WAITS, cure: 'arrives', afterwards: '1 slide' },
  'the only file, rejected': { ...FAILS, cure: 'is removed', afterwards: 'nothing' },
};

onEngines('sqlite', 'A post with files that Airdate fetches', (engine) => {
  const world = useTidyWorld(engine, { env: { ...FETCHING, SCHEDULE_MIN_LEAD_SECONDS: '0' } });
  const host = useFileHost(() => world.app);
  let made = 0;

  const importFile = async (org: Organization, post: string, url: string, more: object = {}) => {
    const answer = await org.call('POST', `/api/v1/posts/${post}/assets/import`, { url, ...more });
    assert.equal(answer.status, 202, answer.text);
  };
  const remove = async (org: Organization, post: string, objectKey = '') => {
    const answer = await org.call('DELETE', `/api/v1/posts/${post}/assets?object_key=${objectKey}`);
    assert.equal(answer.status, 204, answer.text);
  };

  interface Scene {
    creator: Creator;
    post: string;
    slot: number;
    /** Of the third file. */
    path: string;
    open: ServerResponse[];
  }

  /** A post that is to go out in this way, whose third file cannot be fetched yet. */
  async function begin(way: Way, missing: Missing): Promise<Scene> {
    const creator = await world.creator();
    const { org, accountId } = creator;
    const path = `/third/${++made}.jpg`;
    const third = host.serve(path, answering(404));
    const two = ['small.jpg', 'slide.jpg'].map((name) => host.serve(`/${name}`, name));
    const urls = missing.startsWith('the only file') ? [third] : [...two, third];
    const isLate = missing === 'rejected long ago' || missing === 'expired';
    const slot = Math.ceil((world.now() + (isLate ? 4 * DAY_MS : HOUR_MS)) / 1000) * 1000;
    const booking = { social_account_id: accountId, privacy_level: 'SELF_ONLY' } as const;
    const scene = { creator, slot, path, open: [] };
    if (way === 'import') {
      const line = { title: 'Imported', media_urls: urls.join(' '), status: 'scheduled', ...booking };
      const { ids } = await imported(org, fileOf([{ ...line, scheduled_at: at(slot) }]));
      return { ...scene, post: ids[0] ?? '' };
    }
    const post = await org.addPost();
    for (const url of urls) await importFile(org, post, url);
    if (way === 'scheduled')
      await changePost(org, post, { status: 'scheduled', scheduled_at: at(slot), ...booking });
    if (way === 'bulk') {
      const body = { action: 'schedule', ids: [post], scheduled_at: [at(slot)], ...booking };
      const answer = await org.call('POST', '/api/v1/posts/bulk', body);
      assert.equal(answer.status, 200, answer.text);
    }
    return { ...scene, post };
  }

  /** Makes the third file what the row says. */
  async function bring(scene: Scene, missing: Missing): Promise<void> {
    const { creator, post, path, open } = scene;
    const { org } = creator;
    const isPending = ['pending', 'expired', 'the only file, pending'].includes(missing);
    const status = missing === 'retrying' || missing === 'unavailable' ? 503 : 404;
    host.serve(path, answering(status));
    if (missing === 'no image') host.serve(path, (_, response) => void response.end('<html>Hello</html>'));
    if (missing === 'arriving' || isPending)
      host.serve(path, (_, response) => {
        open.push(response);
        response.write(media('small.jpg').subarray(0, 100));
      });
    if (isPending) await postponeThird(post, path);
    if (missing !== 'arriving') await host.fetchDue();
    else
      await until('the third file is arriving', async () => {
        await host.fetches.startDue();
        return open.length > 0;
      });
    if (missing === 'unavailable')
      for (const ms of [10_000, MINUTE_MS]) {
        world.advance(ms);
        await host.fetchDue();
      }
    if (missing === 'rejected long ago') world.advance(2 * GRACE_MS);
    if (missing === 'expired') world.advance(3 * GRACE_MS);
    if (missing === 'removed' || missing.startsWith('replaced'))
      await remove(org, post, (await listAssets(org, post)).rejected[0]?.object_key);
    if (missing.startsWith('replaced')) {
      scene.path = `/other/${++made}.jpg`;
      await importFile(org, post, host.serve(scene.path, answering(404)));
      if (missing === 'replaced, rejected') await host.fetchDue();
    }
    await sweepUploads(world.app, performance.now() + 10_000);
    await until('two files are there', async () => {
      const { data } = await listAssets(org, post);
      return data.length === (missing.startsWith('the only file') ? 0 : 2);
    });
  }

  /** The worker does not come to the third file. */
  async function postponeThird(post: string, path: string): Promise<void> {
    const filename = path.split('/').at(-1) ?? '';
    await world.app.db.transact((tx) =>
      tx
        .updateTable('asset_sources')
        .set({ fetch_at: world.now() + 30 * DAY_MS })
        .where(
          'asset_id',
          'in',
          tx.selectFrom('assets').select('id').where('post_id', '=', post).where('filename', '=', filename),
        )
        .execute(),
    );
  }

  async function arrive({ open, path, post }: Scene): Promise<void> {
    host.serve(path, 'small.jpg');
    for (const response of open) response.end(media('small.jpg').subarray(100));
    await host.fetches.idle();
    await world.app.db.transact((tx) =>
      tx
        .updateTable('asset_sources')
        .set({ fetch_at: 0 })
        .where('asset_id', 'in', tx.selectFrom('assets').select('id').where('post_id', '=', post))
        .execute(),
    );
    await host.fetchDue();
  }

  /** The status and, unless it is published, the code at the end of the error. */
  async function standingOf({ creator: { org }, post }: Scene): Promise<string> {
    const { status, last_publish_error } = await readPost(org, post);
    const code = / \((\w+)\)$/.exec(last_publish_error ?? '')?.[1];
    return code === undefined ? status : `${status} ${code}`;
  }

  const sent = async ({ creator: { username } }: Scene): Promise<string> => {
    const [first, ...others] = await world.acceptedInits(username);
    assert.deepEqual(others, []);
    if (!first) return 'nothing';
    const n = first.request.source_info.photo_images.length;
    return n === 1 ? '1 slide' : `${n} slides`;
  };

  const publishNow = async ({ creator, post }: Scene): Promise<string> => {
    const { status, json } = await world.publishNow(creator, post);
    return [status, ...(status === 200 ? [] : [json.code])].join(' ');
  };

  for (const [missing, expected] of Object.entries(TABLE) as [Missing, Expected][])
    for (const way of everyday(2, WAYS, missing))
      it(`goes out whole or not at all: third file ${missing}, ${way}`, async () => {
        const scene = await begin(way, missing);
        await bring(scene, missing);
        const isNow = way === 'now';
        if (!isNow) {
          world.advance(Math.max(0, scene.slot + 1_000 - world.now()));
          await world.runOnce();
        }
        const seen: Expected = {
          now: isNow ? await publishNow(scene) : expected.now,
          slot: isNow ? expected.slot : await standingOf(scene),
          cure: expected.cure,
          afterwards: '',
        };
        if (expected.cure !== 'none') assert.equal(await sent(scene), 'nothing');
        if (expected.cure === 'arrives') await arrive(scene);
        if (expected.cure === 'is removed') {
          const { org } = scene.creator;
          await remove(org, scene.post, (await listAssets(org, scene.post)).rejected[0]?.object_key);
        }
        if (isNow || expected.cure === 'is removed') await publishNow(scene);
        else await world.runOnce();
        seen.afterwards = await sent(scene);
        assert.deepEqual(seen, expected);
      });

  for (const outcome of ['pending', 'rejected'] as const)
    it(`does not go out with the old video while the new one is ${outcome}`, async () => {
      const creator = await world.creator();
      const { org } = creator;
      const post = await org.addPost({ post_type: 'video' });
      await upload(org, post, 'tiny.mp4');
      await listAssets(org, post);
      const url = host.serve(`/film/${++made}.mp4`, answering(404));
      await importFile(org, post, url, { replace: true });
      if (outcome === 'rejected') await host.fetchDue();
      const scene: Scene = { creator, post, slot: 0, path: '', open: [] };
      await world.schedule(creator, post);
      await world.runOnce();
      assert.equal(await standingOf(scene), outcome === 'pending' ? WAITS.slot : FAILS.slot);
      assert.equal(await publishNow(scene), outcome === 'pending' ? WAITS.now : FAILS.now);
      assert.deepEqual(await world.acceptedInits(creator.username), []);
      // Any video that is ready takes its place.
      await upload(org, post, 'tiny.mp4', { replace: true });
      assert.deepEqual((await listAssets(org, post)).rejected, []);
      if (outcome === 'pending') await world.runOnce();
      else assert.equal(await publishNow(scene), '200');
      assert.equal((await world.acceptedInits(creator.username)).length, 1);
    });
});
