// What a user does with the installed command, and an agent with `airdate mcp`.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const BIN = './node_modules/.bin/airdate';
const env = { ...process.env, XDG_CONFIG_HOME: join(process.cwd(), 'config') };
const ok = (what, is) => {
  if (!is) throw new Error(what);
};

/** Returns the first object that the command printed. */
function airdate(args, { input = '', code = 0 } = {}) {
  const { status, stdout, stderr } = spawnSync(BIN, args, { input, env, encoding: 'utf8' });
  ok(`airdate ${args.join(' ')} ended with ${status}: ${stderr}`, status === code);
  return stdout.startsWith('{') ? JSON.parse(stdout.split('\n')[0]) : undefined;
}

airdate(['login', '--url', process.env.URL], { input: process.env.KEY });
for (const [type, file] of [
  ['slides', 'slide.png'],
  ['video', 'tiny.mp4'],
]) {
  const { id } = airdate(['posts', 'create', '--title', `Told by the command: ${type}`, '--type', type]);
  airdate(['posts', 'publish', id, '--privacy', 'SELF_ONLY'], { code: 3 });
  airdate(['upload', id, file]);
  const { status } = airdate(['posts', 'publish', id, '--privacy', 'SELF_ONLY']);
  ok(`${type} ended as ${status}`, status === 'published');
}
airdate(['posts', 'get', '01890000-0000-7000-8000-000000000000'], { code: 5 });
airdate(['posts', 'list', '--url', 'http://127.0.0.1:9'], { code: 4 });
const account = airdate(['accounts']);

const agent = spawn(BIN, ['mcp', '--files', '.'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
let id = 0;
async function tool(name, args) {
  const message = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } };
  agent.stdin.write(`${JSON.stringify(message)}\n`);
  const { value } = await answers.next();
  const { result } = JSON.parse(value);
  ok(`${name}: ${value}`, result && !result.isError);
  return result.structuredContent.data;
}
for (const [post_type, path] of [
  ['slides', 'slide.png'],
  ['video', 'tiny.mp4'],
]) {
  const fields = { social_account_id: account.id, privacy_level: 'SELF_ONLY' };
  const post = await tool('post_create', {
    title: `Told by an agent: ${post_type}`,
    post_type,
    ...fields,
  });
  await tool('post_media_from_file', { post_id: post.id, path });
  const { confirm } = await tool('post_publish', { post_id: post.id });
  await tool('post_publish', { post_id: post.id, confirm });
  const { publish } = await tool('post_status', { post_id: post.id, wait_seconds: 20 });
  ok(`${post_type} ended as ${publish?.status}`, publish?.status === 'published');
}
agent.stdin.end();
rmSync(env.XDG_CONFIG_HOME, { recursive: true });
