import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fragmentedMp4, mp4, QUARTER_TURN, run } from '../../../test/support/media/mp4.js';
import { fileOf, fixture, text, UNKNOWN_SIZE } from '../../../test/support/media/parts.js';
import { cluster, webm } from '../../../test/support/media/webm.js';
import { createQueues } from '../../app/queues.js';
import { endIdleChildren, keepSpare, takeChild } from './children.js';
import { inspect, inspectVideo } from './inspect.js';
import { READER_LIMITS } from './read-in-child.js';
import type { FromChild } from './tasks.js';

async function foundIn(bytes: Buffer, type: string) {
  const verdict = await inspect(fileOf(bytes), type);
  assert.ok(verdict.ok, verdict.ok ? '' : verdict.reason);
  assert.equal(verdict.thumbnail, null);
  return verdict.found;
}

/** Every process started while `work` runs. */
async function childrenOf(work: () => Promise<unknown>, onStart: (child: ChildProcess) => void = () => {}) {
  const children: ChildProcess[] = [];
  const seen = (message: unknown) => {
    const { process: child } = message as { process: ChildProcess };
    children.push(child);
    onStart(child);
  };
  subscribe('child_process', seen);
  try {
    await work();
  } finally {
    unsubscribe('child_process', seen);
  }
  return children;
}
const isGone = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

describe('a video', () => {
  it('is known by its size, duration and codec, in every format', async () => {
    const tiny = { width: 360, height: 640, durationMs: 4000 };
    assert.deepEqual(await foundIn(fixture('tiny.mp4'), 'video/mp4'), { ...tiny, codec: 'avc' });
    assert.deepEqual(await foundIn(fixture('tiny.mov'), 'video/quicktime'), { ...tiny, codec: 'avc' });
    assert.deepEqual(await foundIn(fixture('tiny.webm'), 'video/webm'), { ...tiny, codec: 'vp8' });
  });

  it('is not read whole, even with its index at the end', async () => {
    const file = fileOf(fixture('clip-12s-moov-at-end.mp4'));
    const verdict = await inspect(file, 'video/mp4');
    const found = { width: 720, height: 1280, durationMs: 12_000, codec: 'avc' };
    assert.deepEqual(verdict, { ok: true, found, thumbnail: null });
    assert.ok(file.bytesRead < 400_000, `${file.bytesRead} of ${file.size} bytes were read`);
  });

  it('is measured as it is shown: rotated if its header says so', async () => {
    const turned = mp4({ width: 640, height: 360, matrix: QUARTER_TURN });
    assert.deepEqual(await foundIn(turned, 'video/mp4'), {
      width: 360,
      height: 640,
      durationMs: 1000,
      codec: 'avc',
    });
  });

  it('may be in fragments, live-recorded, an M4V, or a QuickTime from before brands', async () => {
    const one = { width: 360, height: 640, durationMs: 1000, codec: 'avc' };
    assert.deepEqual(await foundIn(fragmentedMp4([run(10)]), 'video/mp4'), one);
    assert.deepEqual(await foundIn(mp4({ brand: text('M4V \0\0\0\0') }), 'video/mp4'), one);
    const live = webm({ duration: null, segmentSize: UNKNOWN_SIZE, clusters: [cluster(UNKNOWN_SIZE)] });
    assert.deepEqual(await foundIn(live, 'video/webm'), { ...one, durationMs: 200, codec: 'vp8' });
    const old = mp4({ wrap: ({ mdat, moov }) => [mdat, moov] });
    assert.deepEqual(await foundIn(old, 'video/quicktime'), one);
  });

  it('is refused by its header if the frames are missing', async () => {
    const whole = fixture('clip-12s-moov-at-end.mp4');
    const indexAt = whole.lastIndexOf('moov') - 4;
    const cut = Buffer.concat([whole.subarray(0, 32), whole.subarray(indexAt)]);
    const verdict = await inspect(fileOf(cut), 'video/mp4');
    assert.equal(verdict.ok, false);
  });
});

describe('inspecting a video', () => {
  beforeEach(endIdleChildren);

  it('happens for two organizations at the same time, one video of each, in processes that are kept for the next', async () => {
    const { inspectVideo: enqueue } = createQueues({ longReads: 2, covers: 2 });
    let max = 0;
    const alive = new Set<ChildProcess>();
    const kinds = [
      [fixture('tiny.mp4'), 'video/mp4'],
      [mp4({ wrap: ({ ftyp }) => [ftyp] }), 'video/mp4'],
      [fixture('tiny.webm'), 'video/webm'],
    ] as const;
    const children = await childrenOf(
      () =>
        Promise.all(
          [...kinds, ...kinds].map(([bytes, type], n) =>
            enqueue(`${n % 3}`, () => inspect(fileOf(bytes), type)),
          ),
        ),
      (child) => {
        alive.add(child);
        max = Math.max(max, alive.size);
        child.once('exit', () => alive.delete(child));
      },
    );
    // On a slow machine a spare is started, too.
    assert.ok(children.length <= 3, `${children.length} processes for six videos`);
    assert.ok(max <= 3);
  });

  it('ends with a refusal when it takes too much memory or time', async () => {
    const bomb = fragmentedMp4([run(0xffffffff)]);
    const children = await childrenOf(async () => {
      const memory = await inspectVideo(fileOf(bomb), 'video/mp4');
      assert.match(memory.ok ? '' : memory.reason, /^The video needs too much memory/);
      const hasty = { ...READER_LIMITS, cpuMs: 1 };
      const time = await inspectVideo(fileOf(bomb), 'video/mp4', { limits: hasty });
      assert.match(time.ok ? '' : time.reason, /takes too long/);
      const few = { ...READER_LIMITS, totalBytes: 1000 };
      const bytes = await inspectVideo(fileOf(fixture('tiny.mp4')), 'video/mp4', { limits: few });
      assert.match(bytes.ok ? '' : bytes.reason, /would have to be read/);
    });
    assert.equal(children.filter((child) => !isGone(child)).length, 1, 'all are gone but a spare');
  });

  it('has one more process started when a file has ended one', async () => {
    const bomb = fragmentedMp4([run(0xffffffff)]);
    const children = await childrenOf(() => inspectVideo(fileOf(bomb), 'video/mp4'));
    assert.equal(children.length, 2);
  });

  it('finds that one ready, and the next is started', async () => {
    const [spare] = await childrenOf(async () => keepSpare('video'));
    assert.ok(spare);
    // Nothing else keeps this process from ending.
    spare.channel?.ref();
    await once(spare, 'message');
    const [next] = await childrenOf(async () => {
      const taken = takeChild('video');
      assert.deepEqual([taken.process, taken.isReady], [spare, true]);
    });
    assert.ok(next);
    spare.kill('SIGKILL');
  });

  it('takes the one that is being started, rather than start its own', async () => {
    const [spare, next, ...others] = await childrenOf(async () => {
      keepSpare('video');
      assert.equal((await inspectVideo(fileOf(fixture('tiny.mp4')), 'video/mp4')).ok, true);
    });
    assert.ok(spare && next);
    assert.deepEqual(others, []);
    assert.equal(isGone(spare), false, 'it waits for the next file');
  });

  it('is an error, not a verdict, when the store fails, gives too little or is too slow', async (t) => {
    const good = fixture('tiny.mp4');
    // The first bytes are read here; the child reads what comes after them.
    const broken = (read: () => Promise<Buffer>) => ({
      size: good.length,
      read: (start: number, end: number) => (end <= 12 ? fileOf(good).read(start, end) : read()),
    });
    const children = await childrenOf(async () => {
      const failure = new Error('connection reset');
      await assert.rejects(
        inspectVideo(
          broken(() => Promise.reject(failure)),
          'video/mp4',
        ),
        { cause: failure },
      );
      await assert.rejects(
        inspectVideo(
          broken(async () => good.subarray(0, 100)),
          'video/mp4',
        ),
        /fewer bytes/,
      );
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const never = broken(() => {
        t.mock.timers.tick(READER_LIMITS.lookMs);
        return new Promise(() => {});
      });
      await assert.rejects(inspectVideo(never, 'video/mp4'), /too slow/);
    });
    const readers = children.slice(0, 3);
    assert.equal(readers.length, 3);
    assert.ok(readers.every(isGone));
  });

  it('is an error when the process is killed from outside', async () => {
    const good = fixture('tiny.mp4');
    let child: ChildProcess | undefined;
    const file = {
      size: good.length,
      read: async (start: number, end: number) => {
        if (child) child.kill('SIGKILL');
        return good.subarray(start, end);
      },
    };
    await childrenOf(
      () => assert.rejects(inspectVideo(file, 'video/mp4'), /was ended by SIGKILL/),
      (started) => {
        // The first one reads. On a slow machine, a spare is started beside it.
        child ??= started;
      },
    );
    assert.deepEqual((await inspect(fileOf(good), 'video/mp4')).ok, true, 'the next one works');
  });

  it('goes on when a stop reaches all processes: it says nothing about the file', async () => {
    const good = fixture('tiny.mp4');
    let sent = 0;
    const file = {
      size: good.length,
      read: async (start: number, end: number) => {
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) if (child?.kill(signal)) sent++;
        return good.subarray(start, end);
      },
    };
    let child: ChildProcess | undefined;
    await childrenOf(
      async () => assert.equal((await inspectVideo(file, 'video/mp4')).ok, true),
      (started) => {
        child ??= started;
      },
    );
    assert.ok(sent >= 3);
  });

  it('ends by itself if its parent is gone, even in the middle of endless work', async () => {
    const bomb = fragmentedMp4([run(0xffffffff)]);
    const path = fileURLToPath(new URL('./child.js', import.meta.url));
    const child = fork(path, ['video'], {
      execArgv: ['--max-old-space-size=4096'],
      serialization: 'advanced',
    });
    child.on('message', (message: FromChild) => {
      const task = { kind: 'inspect', size: bomb.length, type: 'video/mp4' };
      const bounds = { growth: 2 ** 40, cpuMs: 2 ** 40, lifeMs: 200 };
      if (message.is === 'ready') child.send({ task, bounds, maxReadBytes: bomb.length });
      if (message.is === 'read')
        child.send({ read: message.read, bytes: bomb.subarray(message.start, message.end) });
    });
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
  });
});
