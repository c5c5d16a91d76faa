// P8: a worker dies, or is paused, between the chunks of a video. This platform takes smaller chunks than the real one, so
// that a small file has three.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { beforeEach, it } from 'node:test';
import type { Connector } from '../../src/connectors/connector.js';
import { asSent } from '../support/media/sent-video.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { media } from '../support/service/uploads.js';
import type { Points } from '../support/world/killable-worker.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

const FILE = Buffer.from(media('tiny.mp4'));
const CHUNK = Math.floor(FILE.length / 3);

onEngines('sqlite', 'A worker that sends a video in chunks', (engine) => {
  let uploads: Map<string, Buffer>;
  /** The first byte of each chunk, in order of arrival. */
  let offsets: number[];
  const inThree = (real: Connector): Connector => ({
    ...real,
    async prepare() {
      const publishId = `v_pub_file~v2-1.${uploads.size + 1}`;
      uploads.set(publishId, Buffer.alloc(0));
      const plan = { videoSize: FILE.length, chunkSize: CHUNK, chunkCount: 3 };
      const upload = { address: publishId, contentType: 'video/mp4', plan };
      return { kind: 'accepted', publishId, socialStatus: 'PROCESSING_UPLOAD', upload };
    },
    async sendChunk({ address }, offset, read) {
      const end = offset === 2 * CHUNK ? FILE.length : offset + CHUNK;
      const bytes = await buffer(await read(offset, end));
      offsets.push(offset);
      const whole = Buffer.concat([uploads.get(address) as Buffer, bytes]);
      uploads.set(address, whole);
      return whole.length === FILE.length ? { kind: 'done' } : { kind: 'next', offset: whole.length };
    },
    async observe(_token, question) {
      const publishId = question.publishId ?? '';
      const receivedBytes = uploads.get(publishId)?.length ?? 0;
      if (receivedBytes === FILE.length) return { kind: 'published', socialStatus: 'PUBLISH_COMPLETE' };
      return { kind: 'accepted', publishId, socialStatus: 'PROCESSING_UPLOAD', receivedBytes };
    },
  });
  const world = useWorld(engine, { connector: inThree });
  let creator: Creator;
  let id: string;
  beforeEach(async () => {
    uploads = new Map();
    offsets = [];
    creator = await world.creator();
    id = await world.scheduled(creator, 'video');
    await world.engine.publish();
    await world.engine.idle();
  });

  for (const [point, points] of [
    ['before the answer to the first is read', { after: 'sendChunk' }],
    ['before it is written that it is still at it', { after: 'sendChunk', transaction: 1 }],
  ] as [string, Points][])
    for (const isPaused of [false, true])
      it(`P8 ${isPaused ? 'is paused' : 'dies'} ${point}: another worker continues the same upload with the next chunk`, async () => {
        const worker = await world.killableWorker(points, inThree);
        await worker.work('transfer');
        assert.deepEqual(offsets, [0]);
        await world.runOnce();
        assert.deepEqual(offsets, [0], 'before the lease has ended');
        world.advance(STEP_MS);
        await world.runOnce();
        world.advance(STEP_MS);
        await world.runOnce();
        assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
        if (isPaused) await worker.wake();
        await worker.close();
        assert.deepEqual(offsets, [0, CHUNK, 2 * CHUNK]);
        assert.deepEqual([...uploads.values()], [await asSent(FILE)]);
        assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
      });
});
