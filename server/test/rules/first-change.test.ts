// The first change that CONTRIBUTING has typed command by command fits the code of today.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../support/sources/deploy-files.js';
import { sections, sectionsUnder, textOf } from './samples/samples.js';

const typed = sectionsUnder('Your first change in ten minutes', sections(textOf('CONTRIBUTING.md')))
  .flatMap(({ samples }) => samples)
  .map(({ text }) => text)
  .join('');

describe('The first change of CONTRIBUTING', () => {
  it('begins with a new test', () => {
    const [, file = ''] = /^cat > (\S+) <<'EOF'$/m.exec(typed) ?? [];
    assert.match(file, /^server\/test\/api\/.*\.test\.ts$/);
    assert.ok(!existsSync(join(ROOT, file)));
  });

  it('has patches that apply', () => {
    const patches = [...typed.matchAll(/^git apply <<'EOF'\n([\s\S]*?)^EOF$/gm)].map(([, patch]) => patch);
    assert.equal(patches.length, 2);
    for (const input of patches as string[]) {
      const { status, stderr } = spawnSync('git', ['apply', '--check'], {
        cwd: ROOT,
        input,
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
    }
  });
});
