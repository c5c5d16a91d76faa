// A script learns from the exit code what became of its command.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Line } from '../support/network/cuttable-connection.js';
import { Cli } from '../support/programs/cli.js';
import { itInProofs } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { readyPost, UNKNOWN_ID } from '../support/service/posts.js';

const SLIDE = fileURLToPath(new URL('../../../test/media/slide.png', import.meta.url));
const VIDEO = SLIDE.replace('slide.png', 'tiny.mp4');

describe('The exit code of the command line', () => {
  const line = new Line();
  before(() => line.start());
  const service = useService('sqlite', {
    env: {
      SANDBOX_CONTROL: 'on',
      SANDBOX_PROCESSING_MS: '0',
      RECONCILE_INTERVAL_MS: '100',
      PLATFORM_TIMEOUT_MS: '1000',
    },
  });
  const cli = new Cli();
  let org: Organization;
  before(async () => {
    line.target = service.url;
    org = await service.newOrganization();
    await org.connectAccount();
    cli.env = { AIRDATE_URL: line.url, AIRDATE_API_KEY: org.key };
  });
  afterEach(async () => {
    line.clear();
    await control('clear');
  });
  after(async () => {
    cli.close();
    await line.stop();
  });

  const control = (what: string, body: object = {}) =>
    service.request('POST', `/sandbox/__control/${what}`, { body });
  const publish = (id: string, ...more: string[]) => [
    'posts',
    'publish',
    id,
    '--privacy',
    'SELF_ONLY',
    ...more,
  ];

  it('is 1 if the service fails', async () => {
    line.decide = () => ({ status: 500 });
    await cli.fails(1, 'posts', 'list');
  });

  it('is 2 for invalid usage', async () => {
    await cli.fails(2, 'posts', 'fold');
    assert.match(await cli.fails(2, 'publish', UNKNOWN_ID), /\(Did you mean posts publish\?\)/);
    assert.match(await cli.fails(2, 'create'), /one of posts create, labels create, keys create/);
    assert.match(
      await cli.fails(2, 'webhooks', 'delivery', UNKNOWN_ID),
      /^error: unknown command 'delivery'\n\(Did you mean deliveries\?\)/,
    );
    assert.match(await cli.fails(2, 'posts', 'update', UNKNOWN_ID), /^Say what to change/);
    assert.match(await cli.fails(2, 'dispatches', '--post', UNKNOWN_ID, '--outcome', 'failed'), /without/);
    assert.match(await cli.fails(2, 'events', '--type', 'post.publishd'), /Did you mean post\.published/);
    const typo = await cli.fails(2, 'posts', 'create', '--titel', 'A post');
    assert.match(typo, /^error: unknown option '--titel'\n\(Did you mean --title\?\)/);
    assert.match(
      await cli.fails(2, 'posts', 'create'),
      /^error: required option '--title <text>' not specified/,
    );
    await cli.fails(2, 'posts', 'publish', await org.addPost());
    for (const args of [
      ['upload', UNKNOWN_ID, 'no-such-file.png'],
      ['import', 'no-such-file.png'],
    ])
      assert.match(await cli.fails(2, ...args), /^There is no file no-such-file\.png\./);
    assert.match(await cli.fails(2, 'upload', UNKNOWN_ID, cli.home), /is a folder/);
    writeFileSync(join(cli.home, 'cover'), 'a picture');
    for (const args of [
      ['upload', UNKNOWN_ID, 'cover'],
      ['posts', 'create', '--title', 'A post', '--media', 'cover'],
    ])
      assert.match(await cli.fails(2, ...args), /cover --content-type image\/png/);
    await cli.fails(2, 'upload', UNKNOWN_ID, 'cover', '--content-type', 'image/gif');
    const at = ['--at', '2099-01-01T00:00:00Z'];
    assert.match(await cli.fails(2, 'posts', 'schedule', await org.addPost(), ...at), /--privacy/);
    assert.match(await cli.fails(2, 'posts', 'schedule', UNKNOWN_ID, ...at, '--cancel'), /not both/);
    const create = ['posts', 'create', '--title', 'A post'];
    assert.match(await cli.fails(2, ...create, ...at), /--privacy/);
    assert.match(
      await cli.fails(2, ...create, '--at', 'noon', '--privacy', 'SELF_ONLY'),
      /A time looks like/,
    );
    for (const [media, told] of [
      [[SLIDE, VIDEO], /slides or one video, not both: .*tiny\.mp4 needs a post of its own/],
      [[VIDEO, VIDEO], /one video, not 2/],
      [[VIDEO, '--type', 'slides'], /tiny\.mp4 is a video.*--type video/],
      [[SLIDE, '--type', 'video'], /slide\.png is no video.*--type slides/],
    ] as const)
      assert.match(await cli.fails(2, ...create, '--media', ...media), told);
    assert.match(await cli.fails(2, 'posts', 'resolve', UNKNOWN_ID, 'not_posted'), /--yes/);
    await cli.fails(2, 'posts', 'resolve', UNKNOWN_ID, 'maybe', '--yes');
    for (const command of [
      ['listen', '--forward-to', 'http://127.0.0.1:9'],
      ['webhooks', 'create', 'https://example.com/hook'],
    ])
      assert.match(
        await cli.fails(2, ...command, '--type', 'post.published', 'post.publishd'),
        /'post\.publishd' is invalid\. Did you mean post\.published\?/,
      );
    await cli.fails(2, 'analytics', '--from', '2026-12-01');
    await cli.fails(2, 'export', 'webhooks');
    assert.deepEqual(
      line.paths.filter((path) => path.startsWith('POST') || path.startsWith('PATCH')),
      [],
    );
  });

  it('is 3 for what is refused, with each invalid field', async () => {
    assert.match(await cli.fails(3, 'posts', 'create', '--title', ''), /^--title must not be empty\. \(/);
    const id = await org.addPost();
    assert.match(await cli.fails(3, 'upload', id, VIDEO), /^The type of .*tiny\.mp4 must be one of image/);
    const early = ['--at', '2020-01-01T00:00:00Z', '--privacy', 'SELF_ONLY', '--brand-content'];
    const both = await cli.fails(3, 'posts', 'schedule', id, ...early);
    assert.match(both, /2 errors\. .*\n {2}--privacy cannot be .*\n {2}--at must be at least 5 minutes/);
    const labels = ['--label', id, UNKNOWN_ID];
    assert.match(await cli.fails(3, 'posts', 'update', id, ...labels), /--label \(number 2\) is not a label/);
    assert.match(await cli.fails(3, 'posts', 'resolve', id, 'posted', '--yes'), /outcome is unknown/);
    assert.match(await cli.fails(3, ...publish(id)), /no_media/);
    const expired = await org.addAccount('reconnect_required');
    const again = new RegExp(`^Connect .* airdate accounts connect --again ${expired}$`, 'm');
    assert.match(await cli.fails(3, ...publish(await readyPost(org), '--account', expired)), again);
  });

  it('is 4 without a valid key, or without the scope', async () => {
    const wrong = await cli.run(['posts', 'list'], '', { AIRDATE_API_KEY: 'ad_wrong' });
    assert.equal(wrong.code, 4);
    const narrow = { AIRDATE_API_KEY: await org.keyWith(['posts:read']) };
    const { code, stderr } = await cli.run(['posts', 'create', '--title', 'A post'], '', narrow);
    assert.deepEqual([code, /insufficient_scope, request req_/.test(stderr)], [4, true]);
    const writer = { AIRDATE_API_KEY: await org.keyWith(['posts:read', 'posts:write']) };
    const at = ['--at', '2099-01-01T00:00:00Z', '--privacy', 'SELF_ONLY'];
    const refused = await cli.run(['posts', 'create', '--title', 'A post', ...at], '', writer);
    assert.deepEqual([refused.code, refused.rows], [4, []], refused.stderr);
    assert.match(refused.stderr, /lacks the scope posts:publish, which --at needs\. Nothing was created/);
    assert.equal((await cli.run(['posts', 'list'], '', { AIRDATE_API_KEY: '' })).code, 4);
    const starter = await service.newOrganization({ plan: 'starter', trial_days: 0 });
    assert.equal((await cli.run(['analytics'], '', { AIRDATE_API_KEY: starter.key })).code, 4);
  });

  itInProofs('is 5 for what is not there', async () => {
    await cli.fails(5, 'posts', 'get', UNKNOWN_ID);
    await cli.fails(5, 'posts', 'duplicate', UNKNOWN_ID);
    await cli.fails(5, 'posts', 'archive', 'no-id');
    const id = await org.addPost();
    assert.match(
      await cli.fails(5, 'posts', 'update', id, '--label', 'Every week'),
      /^No label is called Every week\. Create it with: airdate labels create 'Every week'$/m,
    );
    await cli.fails(5, 'posts', 'update', id, '--account', 'unknown.creator');
    await cli.fails(5, 'accounts', 'options', 'unknown.creator');
    for (const [command, done] of [
      ['archive', 'archived'],
      ['unarchive', 'unarchived'],
    ] as const) {
      const { code, rows, stderr } = await cli.run(['posts', command, UNKNOWN_ID, id]);
      assert.deepEqual([code, rows], [5, [{ [done]: 1 }]]);
      assert.match(stderr, new RegExp(`no post ${UNKNOWN_ID}\\.`));
    }
  });

  it('is 6 if the service cannot be reached, or wants to be asked later', async () => {
    const { code, stderr } = await cli.run(['posts', 'list'], '', { AIRDATE_URL: 'http://127.0.0.1:9' });
    assert.deepEqual([code, /could not be reached/.test(stderr)], [6, true]);
    line.decide = () => ({ status: 429, headers: { 'retry-after': '60' } });
    assert.match(await cli.fails(6, 'posts', 'list', '--quiet'), /in 60 seconds/);
  });

  it('names the draft that is left if it could not be scheduled', async () => {
    line.decide = ({ method }) =>
      method === 'PATCH' ? { status: 429, headers: { 'retry-after': '60' } } : 'pass';
    const at = ['--at', '2099-01-01T00:00:00Z', '--privacy', 'SELF_ONLY', '--quiet'];
    const { code, rows, stderr } = await cli.run(['posts', 'create', '--title', 'A post', ...at]);
    const [{ id }] = rows;
    const next = `draft ${id} exists, and is not scheduled. Schedule it with: airdate posts schedule ${id} --at '2099-01-01T00:00:00Z'`;
    assert.deepEqual([code, stderr.includes(next)], [6, true], stderr);
  });

  it('is 7 if publishing failed', async () => {
    await control('outcomes', { status: 'FAILED', fail_reason: 'picture_size_check_failed' });
    const id = await readyPost(org);
    const { code, rows, stderr } = await cli.run(publish(id));
    assert.deepEqual([code, rows[0].status], [7, 'failed']);
    assert.match(stderr, /picture_size_check_failed/);
    await cli.fails(7, 'posts', 'status', id);
  });

  it('is 8 if the outcome is unknown, on the platform or because the answer was lost', async () => {
    const id = await readyPost(org);
    await control('faults', { on: 'init', kind: 'hang', times: 1 });
    const { code, rows, stderr } = await cli.run(publish(id));
    assert.deepEqual([code, rows[0].status], [8, 'unknown']);
    assert.match(stderr, /do not publish it again/);
    assert.match(stderr, new RegExp(`airdate posts resolve ${id} posted, or not_posted`));
    await cli.fails(8, 'posts', 'status', id, '--wait');
    const copied = await cli.run(['posts', 'duplicate', id]);
    assert.equal(copied.code, 0);
    assert.match(copied.stderr, /^The original may be on the platform: .* twice/);
    // Not 3, as for a post in another state that does not allow it.
    assert.match(await cli.fails(8, ...publish(id)), /do not publish it again/);
    line.decide = ({ path }) => (path.endsWith('/publish') ? 'lose' : 'pass');
    await cli.fails(8, ...publish(await readyPost(org), '--timeout', '1'));
  });

  it('is 0 for help', async () => {
    const { stdout } = await cli.run(['--help']);
    assert.match(stdout, /Exit codes:\n {2}0 {4}done/);
    const { code, stdout: help } = await cli.run(['posts', 'publish', '--help']);
    assert.deepEqual([code, /Examples:/.test(help)], [0, true]);
    assert.match(help, /--comments .*\n +--no-comments /);
  });

  describe('and its keys', () => {
    it('are no arguments, and one that was typed as such is not repeated', async () => {
      const { stdout } = await cli.run(['completion', 'bash']);
      assert.doesNotMatch(stdout, /--(api-)?(key|token|secret|password)\b/);
      for (const args of [[`--key=${org.key}`], [org.key]]) {
        const { code, stderr } = await cli.run(['login', ...args]);
        assert.deepEqual([code, stderr.includes(org.key)], [2, false]);
      }
    });

    itInProofs('are sent to no other service than their profile’s', async () => {
      const env = { AIRDATE_URL: '', AIRDATE_API_KEY: '' };
      await cli.run(['login', '--url', line.url], org.key, env);
      line.clear();
      assert.equal((await cli.run(['posts', 'list'], '', env)).code, 0);
      const elsewhere = line.url.replace('127.0.0.1', 'localhost');
      assert.equal((await cli.run(['posts', 'list', '--url', elsewhere], '', env)).code, 4);
      assert.equal(line.passed.length, 1);
      // A variable wins over the profile, and a flag over the variable.
      assert.equal((await cli.run(['whoami'], '', { ...env, AIRDATE_API_KEY: 'ad_wrong' })).code, 4);
      const flag = ['whoami', '--profile', 'default'];
      assert.equal((await cli.run(flag, '', { ...env, AIRDATE_API_KEY: 'ad_wrong' })).code, 0);
    });
  });
});
