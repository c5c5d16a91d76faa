// A disk that is really full: a small file system in memory, which only root can mount.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../support/service/harness.js';
import { scrape } from '../support/service/metrics.js';

const MB = 2 ** 20;

describe('A process whose disk is full', () => {
  let dir: string;
  let isMounted = false;
  let service: TestService;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-disk-'));
    const mounting = ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', dir];
    isMounted = process.getuid?.() === 0 && spawnSync('mount', mounting).status === 0;
    if (isMounted) service = await startTestService('sqlite', { env: { DATA_DIR: dir } });
  });
  after(async () => {
    await service?.stop();
    // The driver closes its files when the memory of its statements is freed: immediately for us, and then for the kernel.
    if (isMounted) execFileSync('umount', ['--lazy', dir]);
    rmSync(dir, { recursive: true, force: true });
  });

  it('is not ready and says why, and is ready again once there is room', async (t) => {
    if (!isMounted) return t.skip('no file system could be mounted, so a full disk was not tried');
    const ready = () => service.request('GET', '/readyz');
    const gauge = async () => (await scrape(service.url)).value('airdate_disk_full');
    assert.deepEqual([(await ready()).status, await gauge()], [200, 0]);
    const { bavail, bsize } = statfsSync(dir);
    const ballast = join(dir, 'ballast');
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 8 * MB));
    const { status, json } = await ready();
    assert.deepEqual([status, json.status, json.checks.disk], [503, 'not_ready', 'full']);
    assert.equal(json.checks.database, 'ok');
    assert.equal(await gauge(), 1);
    assert.equal((await service.request('GET', '/healthz')).status, 200);
    rmSync(ballast);
    const { status: again, json: after } = await ready();
    assert.deepEqual([again, after.checks.disk, await gauge()], [200, undefined, 0]);
  });
});
