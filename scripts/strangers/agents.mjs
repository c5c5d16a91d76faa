// The official MCP client of version 1, which most agents' programs have, over HTTP and over stdio by `airdate mcp`: carries a
// carousel from nothing to live, is refused what has changed since it was confirmed, and sends arguments of every wrong shape.
//   node agents.mjs <http | stdio>
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { SERVICE_URL, API_KEY, CLI, CLI_NODE, SLIDE } = process.env;
const [, , way] = process.argv;

const transports = {
  http: () =>
    new StreamableHTTPClientTransport(new URL('/mcp', SERVICE_URL), {
      requestInit: { headers: { authorization: `Bearer ${API_KEY}` } },
    }),
  stdio: () =>
    new StdioClientTransport({
      command: CLI_NODE,
      args: [CLI, 'mcp'],
      env: { AIRDATE_URL: SERVICE_URL, AIRDATE_API_KEY: API_KEY },
    }),
};
const client = new Client({ name: 'a stranger', version: '1' });
await client.connect(transports[way]());

async function tool(name, args = {}) {
  const { isError, structuredContent } = await client.callTool({ name, arguments: args });
  assert.ok(!isError, `${name}: ${JSON.stringify(structuredContent)}`);
  return structuredContent.data;
}

async function refused(name, args, code) {
  const { isError, structuredContent } = await client.callTool({ name, arguments: args });
  assert.ok(isError, `${name} took ${JSON.stringify(args)}`);
  assert.equal(structuredContent.problem.code, code, JSON.stringify(structuredContent));
}

/** Over HTTP the tool gives an address for the bytes, over stdio it takes a path. */
async function addSlide(post_id) {
  if (way === 'stdio') return tool('post_media_from_file', { post_id, path: SLIDE });
  const file = { filename: basename(SLIDE), content_type: 'image/png' };
  const { upload_url, upload_headers } = await tool('post_media_from_file', { post_id, ...file });
  const body = readFileSync(SLIDE);
  assert.equal((await fetch(upload_url, { method: 'PUT', headers: upload_headers, body })).status, 200);
}

const { tools } = await client.listTools();
assert.equal(tools.length, 18);
assert.ok(tools.every(({ outputSchema }) => outputSchema));
const [account] = await tool('accounts_list');
const fields = { social_account_id: account.id, privacy_level: 'SELF_ONLY' };
const post = await tool('post_create', { title: `Told by a stranger over ${way}`, ...fields });
const post_id = post.id;
await addSlide(post_id);

const first = await tool('post_publish', { post_id });
await tool('post_update', { post_id, caption: 'Changed after it was confirmed' });
await refused('post_publish', { post_id, confirm: first.confirm }, 'precondition_failed');
const { confirm } = await tool('post_publish', { post_id });
await tool('post_publish', { post_id, confirm });
const { publish } = await tool('post_status', { post_id, wait_seconds: 25 });
assert.equal(publish.status, 'published');

for (const hostile of [null, [], 7, { $ne: null }, '../../etc/passwd', 'x'.repeat(40_000)])
  await refused('post_get', { post_id: hostile }, 'validation_failed');
await refused('post_create', { title: 'A title', org_id: post_id }, 'validation_failed');
await refused('no_such_tool', {}, 'not_found');
await client.close();
process.stdout.write(`version 1 of the MCP client over ${way}: a carousel is live\n`);
