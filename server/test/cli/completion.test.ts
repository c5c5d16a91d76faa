// Completion is asked as a person asks it: by the shell itself, with what was typed so far.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Cli } from '../support/programs/cli.js';
import { COMMAND_LINE } from '../support/programs/joined-programs.js';
import { everyday } from '../support/runner/test-tiers.js';

/** What the last word becomes, for each line that ends in an incomplete one. */
const COMPLETED: [typed: string, word: string][] = [
  ['airdate lis', 'listen'],
  ['airdate posts publ', 'publish'],
  ['airdate --profile work webhooks crea', 'create'],
  ['airdate admin create-o', 'create-organization'],
  ['airdate posts unarch', 'unarchive'],
  ['airdate posts resolve 01900000 not', 'not_posted'],
  ['airdate upload 01900000 a.bin --content', '--content-type'],
  ['airdate upload 01900000 a.bin --content-type video/q', 'video/quicktime'],
  ['airdate posts publish 01900000 --priv', '--privacy'],
  ['airdate posts publish 01900000 --privacy MUTUAL', 'MUTUAL_FOLLOW_FRIENDS'],
  ['airdate files rem', 'remove'],
  ['airdate listen --type post.publish_', 'post.publish_failed'],
  ['airdate webhooks create --type webh', 'webhook.disabled'],
  ['airdate labels create Weekly --colour te', 'teal'],
];

/** Only to notice a hang: nothing else can, while this process waits. */
const HANG_MS = 120_000;

const BASH = `source "$1"
read -ra COMP_WORDS <<<"$2"
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_airdate
echo "\${COMPREPLY[*]}"`;

const FISH = String.raw`source $argv[1]; complete -C $argv[2] | string split -f 1 \t`;

/** zsh completes only on a terminal, so it gets one: Tab, and a key that prints the line. */
const ZSH = `zmodload zsh/zpty
export ZDOTDIR=\${1:h}
zpty shell zsh -i -d
zpty -r -m shell seen '*READY*'
zpty -w -n shell "$2"$'\t\x18f'
zpty -r -m shell seen '*<*>*'
line=\${\${seen##*<}%%>*}
print -r -- "\${line##* }"`;
const ZSHRC = `PS1=''
fpath=($ZDOTDIR $fpath)
autoload -Uz compinit
compinit -u -D
zle-line-init() { print -r -- READY }
zle -N zle-line-init
finish() { print -r -- "<\${BUFFER% }>"; exit }
zle -N finish
bindkey '^Xf' finish
`;

const SHELLS = {
  bash: { file: 'airdate', args: ['-c', BASH, 'bash'] },
  zsh: { file: '_airdate', args: ['-f', '-c', ZSH, 'zsh'] },
  fish: { file: 'airdate.fish', args: ['-N', '-c', FISH] },
};

describe('Completion of the command line', () => {
  const cli = new Cli(COMMAND_LINE);
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-completion-'));
    writeFileSync(join(dir, '.zshrc'), ZSHRC);
  });
  after(() => {
    cli.close();
    rmSync(dir, { recursive: true, force: true });
  });

  for (const [shell, { file, args }] of Object.entries(SHELLS)) {
    const isMissing = spawnSync(shell, ['--version']).error !== undefined;
    const skip = isMissing && !process.env.CI && `${shell} is not installed, so its completion was not tried`;
    it(`finishes commands, options and their values in ${shell}`, { skip }, async () => {
      const { code, stdout } = await cli.run(['completion', shell]);
      assert.equal(code, 0);
      const script = join(dir, file);
      writeFileSync(script, stdout);
      for (const [typed, word] of everyday(shell === 'bash' ? COMPLETED.length : 3, COMPLETED, shell)) {
        const asked = spawnSync(shell, [...args, script, typed], {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, HOME: dir, TERM: 'dumb' },
          timeout: HANG_MS,
          killSignal: 'SIGKILL',
        });
        assert.ifError(asked.error);
        assert.equal(asked.stdout.trim(), word, `${typed}: ${asked.stderr}`);
      }
    });
  }
});
