// Malicious uploads against the inspection itself: each ends as expected, and the process is not affected.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { inspect } from '../../src/assets/media/inspect.js';
import { type DamagedFile, damagedFiles } from '../support/media/damaged-media.js';
import { HOSTILE } from '../support/media/hostile-media.js';
import { mp4 } from '../support/media/mp4.js';
import { fileOf, png } from '../support/media/parts.js';
import { webm } from '../support/media/webm.js';
import { inParallel } from '../support/runner/in-parallel.js';
import { everyday } from '../support/runner/test-tiers.js';

const MB = 1024 * 1024;
const DAMAGED = everyday(8, 400);

/** On ordinary days a sample: some take seconds of CPU time. The proofs send all of them to a real service, too. */
const isVideo = ({ contentType }: (typeof HOSTILE)[number]) => contentType.startsWith('video/');
const videos = HOSTILE.filter(isVideo);
const images = HOSTILE.filter((one) => !isVideo(one));
const DAILY = [...everyday(4, videos, 'videos'), ...everyday(6, images, 'images')];

describe('Hostile uploads', () => {
  const strays: unknown[] = [];
  const onStray = (reason: unknown) => strays.push(reason);
  let atStart = 0;
  let peak = 0;
  let peakOfChild = 0;
  let sampler: NodeJS.Timeout;

  before(() => {
    process.on('unhandledRejection', onStray);
    atStart = process.memoryUsage.rss();
    sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
      peakOfChild = Math.max(peakOfChild, memoryOfLargestChild());
    }, 5);
  });
  after(() => {
    clearInterval(sampler);
    process.off('unhandledRejection', onStray);
  });

  it('are many, each with its own title, and the files they are built from are valid', async () => {
    assert.ok(HOSTILE.length >= 300);
    assert.equal(new Set(HOSTILE.map(({ title }) => title)).size, HOSTILE.length);
    for (const [bytes, type] of [
      [png(), 'image/png'],
      [mp4(), 'video/mp4'],
      [webm(), 'video/webm'],
    ] as const)
      assert.equal((await inspect(fileOf(bytes), type)).ok, true, type);
  });

  for (const { title, contentType, bytes, expected } of DAILY)
    it(`${expected === 'either' ? 'answered' : expected}: ${title}`, async () => {
      const verdict = await inspect(fileOf(bytes()), contentType);
      if (expected !== 'either')
        assert.equal(verdict.ok ? 'harmless' : 'refused', expected, JSON.stringify(verdict));
      if (!verdict.ok)
        assert.match(verdict.reason, /^[A-Z].*\. [A-Z].*\.$/, 'says what is wrong, then what to do');
    });

  it('leave no unhandled rejection, and never take more than 256 MB', (t) => {
    assert.deepEqual(strays, []);
    const grown = Math.round((peak - atStart) / MB);
    t.diagnostic(`grew by ${grown} MB at most, a child had ${Math.round(peakOfChild / MB)} MB at most`);
    // The files under test are in this memory too, the largest with 66 MB.
    assert.ok(grown < 256, `grew by ${grown} MB`);
    assert.ok(peakOfChild < 256 * MB, `a child had ${peakOfChild} bytes`);
  });
});

describe('Damaged uploads', () => {
  it(`always get a verdict: ${DAMAGED} files with some bytes changed at random`, async (t) => {
    const counts = { accepted: 0, refused: 0 };
    const look = async ({ number, type, bytes }: DamagedFile) => {
      const verdict = await inspect(fileOf(bytes), type);
      counts[verdict.ok ? 'accepted' : 'refused']++;
      if (!verdict.ok) return assert.ok(verdict.reason.length > 20);
      const { width, height, durationMs } = verdict.found;
      for (const side of [width, height])
        assert.ok(
          Number.isInteger(side) && side > 0 && side <= 16_384,
          `${width} × ${height} of case ${number}`,
        );
      if (type.startsWith('video/')) assert.ok(Number.isInteger(durationMs) && (durationMs as number) > 0);
    };
    await inParallel(4, [...damagedFiles(DAMAGED)], look);
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.accepted > DAMAGED / 10 && counts.refused > DAMAGED / 10, JSON.stringify(counts));
  });
});

/** 0 where the system does not report it. */
function memoryOfLargestChild(): number {
  let kilobytes = 0;
  try {
    for (const thread of readdirSync('/proc/self/task')) {
      const children = readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
      for (const pid of children) {
        // Other tests of this process have children, too.
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('media/child.js')) continue;
        const [, rss] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        kilobytes = Math.max(kilobytes, Number(rss ?? 0));
      }
    }
  } catch {
    // A child process has just ended, or there is no /proc.
  }
  return kilobytes * 1024;
}
