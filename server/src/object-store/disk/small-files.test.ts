import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createSmallFiles } from './small-files.js';

describe('A small file', () => {
  const root = mkdtempSync(join(tmpdir(), 'airdate-small-'));
  after(() => rmSync(root, { recursive: true, force: true }));

  /** A disk on which every operation takes this long, by the clock that is given. */
  function filesOn({ ms }: { ms: number }) {
    let time = 0;
    const files = createSmallFiles(root, () => {
      time += ms;
      return time;
    });
    return files;
  }

  for (const ms of [1, 10_000])
    describe(ms === 1 ? 'on a quick disk' : 'on a slow disk', () => {
      it('is not there at first, then has what was written last', async () => {
        const files = filesOn({ ms });
        const file = join(root, `below-${ms}`, 'note');
        assert.equal(await files.load(file), null);
        for (const text of ['first', 'second, which is longer', 'third']) {
          await files.replace(file, Buffer.from(text));
          assert.equal(String(await files.load(file)), text);
        }
      });

      it('leaves no temporary file behind when it cannot be written', async () => {
        const files = filesOn({ ms });
        const blocked = join(root, `blocked-${ms}`);
        await files.replace(blocked, Buffer.from('a file where a folder is needed'));
        for (let i = 0; i < 2; i++)
          await assert.rejects(files.replace(join(blocked, 'note'), Buffer.from('x')));
        const temporary = readdirSync(root).filter((name) => /^[0-9a-f]{24}$/.test(name));
        assert.deepEqual(temporary, []);
      });
    });

  it('is written synchronously while the disk is quick, and in the thread pool after a slow operation', async () => {
    const steps = [0, 1000, 1000, 2000];
    const files = createSmallFiles(root, () => steps.shift() ?? 70_000);
    const file = join(root, 'note');
    const isThereAtOnce = (text: string) => {
      const written = files.replace(file, Buffer.from(text));
      return { written, isDone: readdirSync(root).includes('note') };
    };
    const first = isThereAtOnce('slow');
    assert.equal(first.isDone, true, 'synchronously, and found slow');
    await first.written;
    rmSync(file);
    const second = isThereAtOnce('in the pool');
    assert.equal(second.isDone, false);
    await second.written;
    rmSync(file);
    steps.length = 0;
    const third = isThereAtOnce('a minute later');
    assert.equal(third.isDone, true);
    await third.written;
  });
});
