// Agents whose programs start `airdate mcp`: the official client over stdio, in both eras of the protocol.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Cli } from '../support/programs/cli.js';
import { COMMAND_LINE } from '../support/programs/joined-programs.js';
import { Agent, ERAS } from '../support/service/agents.js';
import { type Organization, useService } from '../support/service/harness.js';

const MEDIA = fileURLToPath(new URL('../../../test/media', import.meta.url));
const TOOLS = 18;

describe('airdate mcp', () => {
  const service = useService('sqlite', {
    env: { SANDBOX_PROCESSING_MS: '0', RECONCILE_INTERVAL_MS: '100' },
  });
  const cli = new Cli(COMMAND_LINE);
  let org: Organization;
  let accountId: string;
  before(async () => {
    org = await service.newOrganization();
    accountId = await org.connectAccount();
    cli.env = { AIRDATE_URL: service.url, AIRDATE_API_KEY: org.key };
  });
  after(() => cli.close());

  const transport = (args: string[] = [], key = org.key) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [COMMAND_LINE, 'mcp', ...args],
      env: { PATH: process.env.PATH ?? '', HOME: cli.home, AIRDATE_URL: service.url, AIRDATE_API_KEY: key },
    });

  for (const era of ERAS)
    describe(`with a client of the ${era} era`, () => {
      let agent: Agent;
      before(async () => {
        agent = await Agent.connectBy(transport(), era);
      });
      after(() => agent.close());

      it('offers the tools of the service, with a path for files', async () => {
        const { tools } = await agent.client.listTools();
        assert.equal(tools.length, TOOLS);
        const media = tools.find(({ name }) => name === 'post_media_from_file');
        assert.deepEqual(Object.keys(media?.inputSchema.properties ?? {}), ['post_id', 'path', 'replace']);
      });

      for (const [type, file] of [
        ['slides', 'slide.png'],
        ['video', 'tiny.mp4'],
      ] as const)
        it(`carries ${type} from nothing to live`, async () => {
          const post = await agent.call('post_create', {
            title: `By an agent, ${type}, ${era}`,
            post_type: type,
            social_account_id: accountId,
            privacy_level: 'SELF_ONLY',
          });
          const asset = await agent.call('post_media_from_file', {
            post_id: post.id,
            path: join(MEDIA, file),
          });
          assert.deepEqual([asset.filename, asset.position], [file, 1]);
          const { confirm } = await agent.call('post_publish', { post_id: post.id });
          await agent.call('post_publish', { post_id: post.id, confirm });
          const { publish } = await agent.call('post_status', { post_id: post.id, wait_seconds: 20 });
          assert.equal(publish.status, 'published');
        });

      it('says what is refused, by the service and here, in one shape', async () => {
        const refused = (input: Record<string, unknown>) =>
          agent.refused('validation_failed', 'post_media_from_file', input);
        const post_id = await org.addPost();
        await agent.refused('media_rejected', 'post_media_from_file', { post_id, path: '/etc/passwd' });
        const relative = await refused({ post_id, path: 'slide.png' });
        assert.match(relative.detail, /^path must be absolute/);
        const missing = await refused({ post_id, path: '/no/such/file.png' });
        assert.deepEqual(missing, {
          type: '/problems/validation_failed',
          title: 'The request is not valid',
          status: 400,
          detail: 'path names no file.',
          code: 'validation_failed',
          errors: [{ pointer: '/path', message: 'names no file' }],
          next: 'Ask the person for the path.',
        });
        const { errors } = await refused({ post_id, file: 'slide.png' });
        assert.deepEqual(
          errors.map(({ pointer, message }: { pointer: string; message: string }) => `${pointer} ${message}`),
          ['/path is required', '/file is not a field of this request'],
        );
        const video = await refused({ post_id, path: join(MEDIA, 'tiny.mp4') });
        assert.equal(
          video.detail,
          'path names a file of type video/mp4, which must be one of image/png, image/jpeg in a post of type slides.',
        );
        assert.match(video.request_id, /^req_/);
        const path = join(MEDIA, 'slide.png');
        await agent.refused('validation_failed', 'post_media_from_file', { post_id: 'x', path });
        const { data } = await org.sdk.posts.assets.list(post_id);
        assert.deepEqual(data, []);
      });
    });

  it('sends nothing from outside its folder, and nothing that only has the name of an image', async () => {
    const folder = cli.home;
    copyFileSync(join(MEDIA, 'slide.png'), join(folder, 'slide.png'));
    writeFileSync(join(folder, 'secret.png'), 'ad_secret');
    symlinkSync(join(MEDIA, 'slide.jpg'), join(folder, 'link.jpg'));
    const agent = await Agent.connectBy(transport(['--files', folder]), 'modern');
    try {
      const post_id = await org.addPost();
      for (const [path, code] of [
        [join(MEDIA, 'slide.png'), 'forbidden'],
        // Whether it exists is not told.
        ['../none.png', 'forbidden'],
        ['link.jpg', 'forbidden'],
        ['secret.png', 'media_rejected'],
        ['none.png', 'validation_failed'],
        ['a\0b.png', 'validation_failed'],
      ] as const)
        await agent.refused(code, 'post_media_from_file', { post_id, path });
      const outside = { post_id, path: join(MEDIA, 'slide.png') };
      const { detail, type, title, status, next } = await agent.refused(
        'forbidden',
        'post_media_from_file',
        outside,
      );
      assert.deepEqual(
        [type, title, status, next],
        ['/problems/forbidden', 'This is not allowed', 403, 'Ask the person to put the file there.'],
      );
      const { tools } = await agent.client.listTools();
      const media = tools.find(({ name }) => name === 'post_media_from_file');
      for (const told of [detail, JSON.stringify(media)]) assert.ok(told.includes(folder), told);
      const asset = await agent.call('post_media_from_file', { post_id, path: 'slide.png' });
      assert.equal(asset.position, 1);
    } finally {
      await agent.close();
    }
  });

  it('offers an agent nothing that its key may not do', async () => {
    const agent = await Agent.connectBy(
      transport([], await org.keyWith(['posts:read', 'posts:write'])),
      'modern',
    );
    const tools = await agent.tools().finally(() => agent.close());
    assert.ok(tools.includes('post_media_from_file') && !tools.includes('post_publish'));
  });

  it('answers what is no message, and a service that is away, without ending', async () => {
    const running = cli.start(['mcp'], { AIRDATE_URL: 'http://127.0.0.1:9' });
    const lines = [
      'no JSON',
      '[1]',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"posts_list"}}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}',
    ];
    running.child.stdin?.end(`${lines.join('\n')}\n`);
    const { code, rows, stderr } = await running.ended;
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(
      rows.slice(0, 2).map(({ error }) => error.code),
      [-32700, -32700],
    );
    const [call, list] = rows.slice(2).sort((a, b) => a.id - b.id);
    assert.deepEqual(
      [call.result.isError, call.result.structuredContent.problem.code],
      [true, 'unreachable'],
    );
    assert.equal(list.error.code, -32603);
    assert.equal(rows.length, 4);
  });

  it('does not start without a key', async () => {
    const running = cli.start(['mcp'], { AIRDATE_API_KEY: '' });
    const [code] = await once(running.child, 'exit');
    assert.equal(code, 4);
  });
});
