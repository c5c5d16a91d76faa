// What a person at a terminal sees: tables, colors, bars, questions; and no text of a post that steers the terminal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Cli, Running } from '../support/programs/cli.js';
import { COMMAND_LINE } from '../support/programs/joined-programs.js';
import { skipWithout } from '../support/programs/terminal.js';
import { type Organization, useService } from '../support/service/harness.js';

const SLIDE = fileURLToPath(new URL('../../../test/media/slide.png', import.meta.url));

const ESCAPE = '\u001b';

/** Runs a program with a terminal of its own, and types what comes by stdin. */
const WITH_TERMINAL = `import os, pty, re, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
answers = [line for line in os.environ.get('ANSWERS', '').split('|') if line]
while True:
    try:
        said = os.read(terminal, 65536)
    except OSError:
        break
    if not said:
        break
    sys.stdout.buffer.write(said)
    sys.stdout.flush()
    if answers and re.search(rb': ?(\\x1b\\[\\d*[A-Z])*$', said):
        os.write(terminal, (answers.pop(0) + '\\n').encode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

describe('On a terminal, the command line', { skip: skipWithout('python3') }, () => {
  const service = useService('sqlite');
  const cli = new Cli(COMMAND_LINE);
  let org: Organization;
  before(async () => {
    org = await service.newOrganization({ name: 'The Map Folders' });
    writeFileSync(join(cli.home, 'terminal.py'), WITH_TERMINAL);
  });
  after(() => cli.close());

  async function see(args: string[], env: Record<string, string> = {}) {
    const child = spawn('python3', [join(cli.home, 'terminal.py'), process.execPath, COMMAND_LINE, ...args], {
      env: {
        PATH: process.env.PATH,
        HOME: cli.home,
        TERM: 'xterm',
        AIRDATE_URL: service.url,
        AIRDATE_API_KEY: org.key,
        ...env,
      },
      timeout: 60_000,
    });
    const { code, stdout } = await new Running(child).ended;
    return { code, text: stdout.replaceAll('\r\n', '\n') };
  }

  it('prints tables, in bold where colors are wanted', async () => {
    const id = await org.addPost({ title: 'Five ways to fold a map' });
    const { text } = await see(['posts', 'list']);
    assert.ok(text.startsWith(`${ESCAPE}[1mID  `), text);
    assert.match(text, /ID +STATUS +TYPE +SLOT +TITLE/);
    assert.match(text, new RegExp(`^${id}  draft +slides +Five ways to fold a map$`, 'm'));
    assert.ok(!(await see(['posts', 'list'], { NO_COLOR: '1' })).text.includes(ESCAPE));
    const label = await org.sdk.labels.create({ name: 'Campaign: maps', colour: 'teal' });
    const labels = await see(['labels'], { NO_COLOR: '1' });
    assert.match(labels.text, new RegExp(`ID +NAME +COLOUR\\n${label.id}  Campaign: maps +teal\\n`));
    await org.sdk.posts.update(id, { labels: [label.id] });
    const { text: post } = await see(['posts', 'get', id], { NO_COLOR: '1' });
    assert.match(post, /^labels +Campaign: maps$/m);
    assert.match(post, /^created_at +\d{4}-\d\d-\d\d \d\d:\d\d$/m);
    const { code, text: asked } = await see(['posts', 'delete', id], { ANSWERS: 'no' });
    assert.deepEqual([code, /Nothing was done/.test(asked)], [2, true], asked);
  });

  it('asks before it settles an unknown outcome, and says what that means', async () => {
    const id = await org.addPost({ title: 'Five ways to fold a map' });
    const resolve = ['posts', 'resolve', id, 'not_posted'];
    const { code, text } = await see(resolve, { ANSWERS: 'no' });
    assert.deepEqual([code, /twice.*yes or no[\s\S]*Nothing was done/.test(text)], [2, true], text);
    assert.match((await see(resolve, { ANSWERS: 'yes' })).text, /wrong_state/);
  });

  it('lets no text of a post steer the terminal', async () => {
    const id = await org.addPost({ title: 'Red \u001b[31malert\u009b2J \u202eevil' });
    for (const args of [
      ['posts', 'get', id],
      ['posts', 'get', id, '--json'],
    ])
      assert.doesNotMatch((await see(args, { NO_COLOR: '1' })).text.replaceAll('\n', ''), /\p{Cc}/u);
  });

  it('shows how far an upload has come', async () => {
    const id = await org.addPost();
    const { code, text } = await see(['upload', id, SLIDE]);
    assert.equal(code, 0, text);
    assert.match(text, /█{30} 100 % +\d+ kB of \d+ kB +slide\.png/);
    assert.doesNotMatch(text, /https?:/);
    const { text: files } = await see(['files', id], { NO_COLOR: '1' });
    assert.match(files, /NUMBER +STATE +FILE +TYPE[\s\S]*\n1 +uploaded +slide\.png +image\/png +\d+ kB/);
  });

  it('asks for the key without showing it', async () => {
    const env = { AIRDATE_API_KEY: '', ANSWERS: `${service.url}|${org.key}` };
    const { code, text } = await see(['login'], env);
    assert.equal(code, 0, text);
    assert.match(text, /Signed in to \S+ as The Map Folders/);
    assert.ok(!text.includes(org.key));
  });
});
