// From nothing to live in a terminal: sign in, write, upload, publish, and see what became of it.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { Cli } from '../support/programs/cli.js';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, type Organization, useService } from '../support/service/harness.js';
import { at, readyPost } from '../support/service/posts.js';
import { Receiver } from '../support/service/webhooks.js';

const SLIDE = fileURLToPath(new URL('../../../test/media/slide.png', import.meta.url));
const VIDEO = SLIDE.replace('slide.png', 'tiny.mp4');

describe('The command line', () => {
  const service = useService('sqlite', {
    env: { SANDBOX_PROCESSING_MS: '0', RECONCILE_INTERVAL_MS: '100' },
  });
  const cli = new Cli();
  let org: Organization;
  before(async () => {
    org = await service.newOrganization({ name: 'The Map Folders' });
    await org.connectAccount('mapfolders');
    const { code, stderr } = await cli.run(['login', '--url', service.url], `${org.key}\n`);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /as The Map Folders/);
  });
  after(() => cli.close());

  const feed = async () => (await fetch(`${service.url}/sandbox/`)).text();

  it('keeps a key in a file that only its owner can read, and shows it to no program', async () => {
    const path = join(cli.home, '.config/airdate/config.json');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(cli.home, '.config/airdate')).mode & 0o777, 0o700);
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).profiles.default.apiKey, org.key);
    const [profile] = await cli.ok('profiles');
    assert.deepEqual(profile, {
      name: 'default',
      url: service.url,
      current: true,
      has_key: true,
      has_admin_token: false,
    });
  });

  it('carries a carousel from nothing to live', async () => {
    const [post, first, second] = await cli.ok(
      'posts',
      'create',
      '--title',
      'Five ways to fold a map',
      '--media',
      SLIDE,
      SLIDE,
    );
    assert.deepEqual([post.status, first.position, second.position], ['draft', 1, 2]);
    await cli.fails(3, 'posts', 'check', post.id);
    const [outcome] = await cli.ok('posts', 'publish', post.id, '--privacy', 'PUBLIC_TO_EVERYONE');
    assert.deepEqual([outcome.post_id, outcome.status], [post.id, 'published']);
    const [status] = await cli.ok('posts', 'status', post.id);
    assert.deepEqual([status.status, status.publish_id], ['published', outcome.publish_id]);
    assert.match(await feed(), /Five ways to fold a map/);
    assert.equal((await cli.ok('dispatches'))[0].post_id, post.id);
    const attempts = await cli.ok('dispatches', '--post', post.id);
    assert.deepEqual([attempts.length, attempts[0].outcome], [1, 'published']);
    assert.deepEqual(await cli.ok('dispatches', '--post', await readyPost(org)), []);
  });

  it('carries a video from nothing to live', async () => {
    const [{ id }] = await cli.ok('posts', 'create', '--type', 'video', '--title', 'Tents, tested');
    const [asset] = await cli.ok('upload', id, VIDEO);
    assert.equal(asset.content_type, 'video/mp4');
    const [outcome] = await cli.ok(
      'posts',
      'publish',
      id,
      '--account',
      '@MapFolders',
      '--privacy',
      'SELF_ONLY',
    );
    assert.equal(outcome.status, 'published');
  });

  itInProofs('schedules a post, moves it, and cancels that; archives and deletes it', async () => {
    const id = await readyPost(org);
    const slot = at(service.clock.now() + 86_400_000);
    const [scheduled] = await cli.ok(
      ...['posts', 'schedule', id, '--at', slot, '--account', 'mapfolders', '--privacy', 'SELF_ONLY'],
    );
    assert.deepEqual([scheduled.status, scheduled.scheduled_at], ['scheduled', slot]);
    const zone = { TZ: 'America/New_York' };
    const moved = await cli.run(['posts', 'schedule', id, '--at', '2030-07-01 18:00'], '', zone);
    assert.equal(moved.rows[0].scheduled_at, '2030-07-01T22:00:00Z');
    // The clocks are set forward that night.
    const missing = await cli.run(['posts', 'schedule', id, '--at', '2030-03-10 02:30'], '', zone);
    assert.deepEqual([missing.code, /does not exist in America\/New_York/.test(missing.stderr)], [2, true]);
    const twice = await cli.run(['posts', 'schedule', id, '--at', '2030-11-03 01:30'], '', zone);
    assert.equal(twice.code, 2);
    assert.match(twice.stderr, /occurs twice .*Write 2030-11-03T01:30-04:00 .* 2030-11-03T01:30-05:00 for/);
    const second = await cli.run(['posts', 'schedule', id, '--at', '2030-11-03T01:30-05:00'], '', zone);
    assert.equal(second.rows[0].scheduled_at, '2030-11-03T06:30:00Z');
    assert.equal((await cli.ok('posts', 'schedule', id, '--cancel'))[0].status, 'draft');
    assert.deepEqual(await cli.ok('posts', 'status', id), [{ post_id: id, status: 'draft' }]);
    // The only account that is connected is the default, as for publish.
    const [{ id: other }] = await cli.ok('posts', 'create', '--title', 'For the only account');
    const [taken] = await cli.ok('posts', 'schedule', other, '--at', slot, '--privacy', 'SELF_ONLY');
    const [account] = await cli.ok('accounts');
    assert.equal(taken.social_account_id, account.id);
    assert.deepEqual(await cli.ok('posts', 'archive', id, other), [{ archived: 2 }]);
    assert.deepEqual(await cli.ok('posts', 'unarchive', other), [{ unarchived: 1 }]);
    await cli.fails(2, 'posts', 'delete', id);
    await cli.ok('posts', 'delete', id, '--yes');
    assert.equal((await org.call('GET', `/api/v1/posts/${id}`)).status, 404);
  });

  itInProofs('copies a post, turns its comments off and on again, and counts what there is', async () => {
    const [{ id }] = await cli.ok('posts', 'create', '--title', 'Passes in winter', '--no-comments');
    copyFileSync(SLIDE, join(cli.home, 'cover'));
    const [asset] = await cli.ok('upload', id, 'cover', '--content-type', 'image/png');
    assert.equal(asset.content_type, 'image/png');
    const off = async (...flags: string[]) =>
      (await cli.ok('posts', 'update', id, ...flags))[0].disable_comment;
    assert.deepEqual([await off('--no-duet'), await off('--comments')], [true, false]);
    const [copy] = await cli.ok('posts', 'duplicate', id);
    assert.deepEqual([copy.title, copy.id === id], ['Passes in winter', false]);
    const [{ total_posts }] = await cli.ok('analytics');
    const days = await cli.ok('analytics', '--by-day', '--time-zone', 'UTC');
    assert.equal(
      days.reduce((sum, day) => sum + day.posts_created, 0),
      total_posts,
    );
  });

  it('imports a file, names its problems by line, and exports it again', async () => {
    const file = join(cli.home, 'posts.csv');
    writeFileSync(file, 'title,post_type\nAlpine huts,slides\nSea caves,film\n');
    const { code, rows, stderr } = await cli.run(['import', file, '--dry-run']);
    assert.deepEqual([code, rows[0].problems[0].line], [3, 3]);
    assert.match(stderr, /^1 problem in 2 lines\./);
    writeFileSync(
      file,
      'title,scheduled_at,labels\nMoors,2040-06-01 18:00,Walks\nFells,2040-06-02 18:00,Walks\n',
    );
    assert.equal((await cli.run(['import', file])).rows[0].dry_run, false);
    const asked = await cli.fails(3, 'import', file, '--dry-run');
    assert.match(asked, /--default-status scheduled[\s\S]*--create-labels/);
    const flags = ['--default-status', 'draft', '--create-labels', '--time-zone', 'Asia/Tokyo'];
    const [checked] = await cli.ok('import', file, '--dry-run', ...flags);
    assert.deepEqual([checked.drafts, checked.local_times, checked.new_labels], [2, 2, ['Walks']]);
    await cli.ok('import', file, ...flags);
    const labelled = await cli.ok('posts', 'list', '--label', 'WALKS', '--sort', '-scheduled_at');
    assert.deepEqual(
      labelled.map(({ title }) => title),
      ['Fells', 'Moors'],
    );
    const [moved] = await cli.ok('posts', 'create', '--title', 'Dunes', '--label', 'Walks');
    assert.deepEqual(moved.labels, labelled[0].labels);
    assert.match(
      await cli.fails(5, 'posts', 'list', '--label', 'Swims'),
      /There are: Walks\. Create it with: airdate labels create Swims$/m,
    );
    const [swims] = await cli.ok('labels', 'create', 'Swims', '--colour', 'teal');
    assert.match(await cli.fails(3, 'labels', 'create', 'swims'), /name_taken/);
    const labels = await cli.ok('labels', '--json');
    assert.deepEqual(
      labels.map(({ id, name, colour }) => [id, name, colour]),
      [
        [swims.id, 'Swims', 'teal'],
        [moved.labels[0], 'Walks', 'red'],
      ],
    );
    assert.deepEqual(await cli.ok('labels', 'list', '--limit', '1'), [swims]);
    writeFileSync(file, 'title,post_type\nAlpine huts,slides\nSea caves,video\n');
    assert.equal((await cli.ok('import', file))[0].created, 2);
    const { stdout } = await cli.run(['export', '--status', 'draft']);
    const exported = await cli.ok('export', '--json', '--status', 'draft');
    assert.ok(exported.some(({ title }) => title === 'Alpine huts'));
    await cli.fails(2, 'export', '--json', '--format', 'csv');
    assert.match(stdout, /Alpine huts[\s\S]*Sea caves|Sea caves[\s\S]*Alpine huts/);
    assert.equal((await cli.ok('posts', 'list', '--search', 'Alpine'))[0].title, 'Alpine huts');
  });

  it('prints a list as JSON lines, as many as asked for', async () => {
    const limited = await cli.run(['posts', 'list', '--limit', '1']);
    assert.deepEqual([limited.rows.length, limited.stderr], [1, '']);
    const csv = ['title', ...Array.from({ length: 50 }, (_, i) => `Day ${i + 1}`)].join('\n');
    await org.sdk.posts.import({ csv });
    const { rows, stderr } = await cli.run(['posts', 'list']);
    assert.equal(rows.length, 50);
    assert.match(stderr, /There are more: see --limit and --all/);
  });

  it('creates and schedules a post in one command', async () => {
    const slot = at(service.clock.now() + 2 * 86_400_000);
    const create = ['posts', 'create', '--title', 'December at six', '--media', SLIDE];
    const [draft, asset, scheduled] = await cli.ok(
      ...[...create, '--at', slot, '--account', 'mapfolders', '--privacy', 'SELF_ONLY', '--no-comments'],
    );
    assert.deepEqual([draft.status, asset.position], ['draft', 1]);
    assert.deepEqual(
      [scheduled.id, scheduled.status, scheduled.scheduled_at, scheduled.disable_comment],
      [draft.id, 'scheduled', slot, true],
    );
    // The only account that is connected is the default.
    const choices = ['--at', slot, '--privacy', 'SELF_ONLY'];
    const bare = await cli.run(['posts', 'create', '--title', 'For the only account', ...choices]);
    const [, taken] = bare.rows;
    assert.match(bare.stderr, /does not go out as it is: Add at least one slide\. \(no_media\)/);
    const moved = await cli.run(['posts', 'schedule', draft.id, '--at', slot]);
    assert.match(moved.stderr, /^It goes out on /);
    assert.deepEqual([taken.status, taken.social_account_id], ['scheduled', scheduled.social_account_id]);
  });

  it('creates nothing if the time has passed or is too near', async () => {
    const create = ['posts', 'create', '--title', 'Too early', '--media', SLIDE, '--privacy', 'SELF_ONLY'];
    const near = at(service.clock.now() + 60_000);
    for (const time of ['2020-01-01 10:00', near]) {
      const refused = await cli.run([...create, '--at', time]);
      assert.deepEqual([refused.code, refused.rows], [3, []], refused.stderr);
      assert.match(refused.stderr, /^--at must be at least 5 minutes from now\. Nothing was created\./);
    }
    assert.deepEqual(await cli.ok('posts', 'list', '--search', 'Too early'), []);
  });

  itInProofs('lists, reorders and removes the files of a post', async () => {
    copyFileSync(SLIDE, join(cli.home, 'second.png'));
    copyFileSync(SLIDE, join(cli.home, 'third.png'));
    const media = ['--media', SLIDE, 'second.png', 'third.png', SLIDE];
    const [{ id }] = await cli.ok('posts', 'create', '--title', 'Folds in order', ...media);
    const names = async (...command: string[]) =>
      (await cli.ok('files', ...command)).map(({ position, filename }) => `${position} ${filename}`);
    const listed = ['1 slide.png', '2 second.png', '3 third.png', '4 slide.png'];
    assert.deepEqual(await names('list', id), listed);
    assert.deepEqual(await names('order', id, '3', 'second.png'), [
      '1 third.png',
      '2 second.png',
      '3 slide.png',
      '4 slide.png',
    ]);
    assert.match(
      await cli.fails(2, 'files', 'remove', id, 'slide.png', '--yes'),
      /^2 files are called slide\.png\. Choose one by its number or key: 3, 4\./,
    );
    const unknown = await cli.fails(5, 'files', 'remove', id, '1', '7', '--yes');
    assert.match(unknown, /no file 7\. It has: 1 third\.png, 2 second\.png, 3 slide\.png, 4 slide\.png\./);
    await cli.fails(2, 'files', 'remove', id, '1');
    await cli.fails(2, 'files', 'order', id, '1', 'third.png');
    await cli.ok('files', 'remove', id, '1', '3', '--yes');
    assert.deepEqual(await names(id), ['1 second.png', '2 slide.png']);
    const { data } = await org.sdk.posts.assets.list(id);
    assert.deepEqual(
      data.map(({ filename }) => filename),
      ['second.png', 'slide.png'],
    );
    await org.sdk.posts.assets.requestUpload(id, { filename: 'late.png', content_type: 'image/png' });
    assert.equal((await cli.ok('files', 'list', id)).at(-1).state, 'pending');
    assert.match(await cli.fails(2, 'files', 'order', id, 'late.png'), /late\.png is pending/);
    await cli.ok('files', 'remove', id, 'late.png', '--yes');
    assert.equal((await cli.ok('files', 'list', id)).length, 2);
    await cli.fails(5, 'files', 'list', 'no-id');
  });

  it('takes a single video for a post of type video', async () => {
    const [post, asset] = await cli.ok('posts', 'create', '--title', 'Tents again', '--media', VIDEO);
    assert.deepEqual([post.post_type, asset.content_type], ['video', 'video/mp4']);
  });

  it('manages keys and webhooks', async () => {
    const [created] = await cli.ok('keys', 'create', '--name', 'Reader', '--scope', 'posts:read');
    assert.match(created.key, /^ad_/);
    assert.deepEqual(created.scopes, ['posts:read']);
    await cli.ok('keys', 'revoke', created.id, '--yes');
    assert.ok(!(await org.sdk.keys.list()).data.some(({ id }) => id === created.id));
    const [webhook] = await cli.ok(
      'webhooks',
      'create',
      'https://example.com/hook',
      '--type',
      'post.published',
    );
    assert.match(webhook.secret, /^whsec_/);
    assert.match(await cli.fails(5, 'webhooks', 'replay', webhook.id, webhook.id), /delivery/);
    const rotated = await cli.run(['webhooks', 'rotate', webhook.id]);
    assert.notEqual(rotated.rows[0].secret, webhook.secret);
    assert.match(rotated.stderr, /not shown again\. Messages are also signed with the old one until \d{4}-/);
    await cli.ok('webhooks', 'delete', webhook.id, '--yes');
  });

  it('sends what happens to an address, signed with the secret that it prints', async () => {
    const receiver = await new Receiver().start();
    const listening = cli.start([
      'listen',
      '--forward-to',
      `${receiver.url}/hook`,
      '--after',
      'evt_000000000',
    ]);
    try {
      await until('an event arrives', () => listening.rows.length > 0);
      const secret = /whsec_\S+/.exec(listening.stderr)?.[0] ?? '';
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
      const message = new Webhook(secret).verify(body, headers as Record<string, string>) as {
        event_id: string;
      };
      assert.deepEqual([listening.rows[0].event_id, listening.rows[0].status], [message.event_id, 200]);
    } finally {
      listening.child.kill('SIGINT');
      assert.equal((await listening.ended).code, 130);
      await receiver.stop();
    }
    const unheard = cli.start(['listen', '--forward-to', 'http://127.0.0.1:1', '--after', 'evt_000000000']);
    await until('it says that there is no answer', () => /:1 did not answer/.test(unheard.stderr));
    unheard.child.kill('SIGINT');
    await unheard.ended;
  });

  it('follows events and attempts until Ctrl-C', async () => {
    const events = cli.start(['events', '--follow', '--after', 'evt_000000000']);
    const attempts = cli.start(['dispatches', '--follow']);
    await until('the first events are printed', () => events.rows.length > 0);
    const id = await readyPost(org);
    await until('the new post is printed', () => events.rows.some(({ data }) => data.post_id === id));
    await until('it waits', () => attempts.stderr.includes('Waiting'));
    for (const running of [events, attempts]) {
      running.child.kill('SIGINT');
      assert.equal((await running.ended).code, 130);
    }
    const listed = await cli.ok('events');
    assert.ok(listed.some(({ data }) => data.post_id === id));
    const [connected, ...others] = await cli.ok('events', '--type', 'account.connected', '--limit', '1');
    assert.deepEqual([connected.type, others], ['account.connected', []]);
  });

  it('serves the operator with a token of its own', async () => {
    const login = await cli.run(
      ['login', '--admin', '--url', service.url, '--profile', 'operator'],
      ADMIN_TOKEN,
    );
    assert.equal(login.code, 0, login.stderr);
    const as = ['--profile', 'operator'];
    const [created] = await cli.ok(
      'admin',
      'create-organization',
      '--name',
      'Roamers',
      '--plan',
      'growth',
      ...as,
    );
    assert.equal(created.name, 'Roamers');
    const [{ key }] = await cli.ok('admin', 'create-key', created.id, '--name', 'First', ...as);
    assert.match(key, /^ad_/);
    assert.ok((await cli.ok('admin', 'organizations', '--all', ...as)).some(({ id }) => id === created.id));
    await cli.ok('profiles', 'use', 'default');
    await cli.ok('logout', ...as);
  });
});
