// 4 GB from a path, and from a stream, in the memory of a few parts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compareBigVideo, sendBigVideo } from '../support/media/big-video.js';
import { useService } from '../support/service/harness.js';
import { MIB } from '../support/service/part-uploads.js';

const PROGRAM = fileURLToPath(new URL('./programs/send-file.js', import.meta.url));
/** The largest allowed video. */
const SIZE = 4096 * MIB;
const MAX_GROWTH_MIB = 128;

describe('A video of 4 GB, sent by the SDK', () => {
  const service = useService('sqlite');
  const dir = mkdtempSync(join(tmpdir(), 'airdate-sdk-big-'));
  const film = join(dir, 'film.mp4');
  before(async () => {
    const { bavail, bsize } = statfsSync(dir);
    assert.ok(bavail * bsize > 5 * SIZE, `This proof needs ${(5 * SIZE) / 2 ** 30} GB in ${tmpdir()}.`);
    await pipeline(sendBigVideo(SIZE), createWriteStream(film));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  for (const kind of ['path', 'stream'])
    it(`grows the program by at most ${MAX_GROWTH_MIB} MB, from a ${kind}`, async (test) => {
      const org = await service.newOrganization();
      const id = await org.addPost({ post_type: 'video' });
      const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, kind, id, film], {
        env: { PATH: process.env.PATH, AIRDATE_URL: service.url, AIRDATE_API_KEY: org.key },
      });
      const { sent, grownMib } = JSON.parse(stdout);
      test.diagnostic(`it grew by ${grownMib} MB`);
      assert.equal(sent, SIZE);
      assert.ok(grownMib <= MAX_GROWTH_MIB, `it grew by ${grownMib} MB`);
      const { data } = await org.sdk.posts.assets.list(id);
      const { body } = await fetch(data[0]?.url ?? '');
      assert.ok(body);
      await pipeline(body, compareBigVideo(SIZE));
      await org.sdk.posts.delete(id);
    });
});
