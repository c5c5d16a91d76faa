// A big video in chunks, generated while it is sent, to a platform that drops some of them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { ChunkOutcome, Connector, VideoUpload } from '../../src/connectors/connector.js';
import { fixture, text, u32 } from '../support/media/parts.js';
import { usePlatform } from '../support/platform/test-platform.js';
import { until } from '../support/runner/until.js';
import { acceptedOf, connectorTo, patience, untilMet, VIDEO } from './connector/connector-parts.js';

const SIZE = 71_234_567;
const CLIP = fixture('tiny.mp4');
/** A real video, followed by a box that players skip. */
const HEAD = Buffer.concat([CLIP, u32(SIZE - CLIP.length), text('free')]);
const PART = 65_536;

/** The bytes from `start` to before `end`, different at each offset, so that a misplaced chunk is noticed. */
function* bytesOf(start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += PART) {
    const part = Buffer.alloc(Math.min(PART, end - at));
    for (let i = 0; i + 4 <= part.length; i += 4) part.writeUInt32LE(0, i);
    for (let i = (64 - (at % 64)) % 64; i + 4 <= part.length; i += 64) part.writeUInt32LE(at + i, i);
    if (at < HEAD.length) HEAD.copy(part, 0, at);
    yield part;
  }
}
const read = async (start: number, end: number) => Readable.from(bytesOf(start, end));
const MEDIA = { bytes: SIZE, contentType: 'video/mp4' };

describe('a video of 71 MB', () => {
  const platform = usePlatform();

  async function start() {
    const connector = connectorTo(platform.url);
    const tokens = await platform.connect('anna');
    const begun = await connector.prepare(tokens.access_token, VIDEO, MEDIA, patience());
    const { publishId, upload } = acceptedOf(begun);
    assert.ok(upload);
    const asked = { publishId, username: 'anna' };
    const status = () => connector.observe(tokens.access_token, asked, patience());
    return { connector, upload, status };
  }

  /** Like the engine: continues where the platform says, repeats chunks that were not taken. Returns every outcome. */
  async function sendAll(connector: Connector, upload: VideoUpload, from = 0): Promise<ChunkOutcome[]> {
    const outcomes: ChunkOutcome[] = [];
    let offset = from;
    while (outcomes.at(-1)?.kind !== 'done') {
      const outcome = await connector.sendChunk(upload, offset, read, patience());
      outcomes.push(outcome);
      assert.ok(outcomes.length < 30, JSON.stringify(outcomes));
      if (outcome.kind === 'next') offset = outcome.offset;
      else assert.ok(outcome.kind === 'later' || outcome.kind === 'done', JSON.stringify(outcome));
    }
    return outcomes;
  }

  it('arrives unchanged even if chunks and answers are lost', async () => {
    const { connector, upload, status } = await start();
    assert.deepEqual(upload.plan, { videoSize: SIZE, chunkSize: 10_000_000, chunkCount: 7 });
    await platform.control('faults', { on: 'upload', kind: 'reset_after', after: 1 });
    await platform.control('faults', { on: 'upload', kind: 'reset_before', after: 1 });
    await platform.control('faults', { on: 'upload', kind: 'http_502', after: 1 });
    const outcomes = await sendAll(connector, upload);
    const kinds = outcomes.map((outcome) =>
      outcome.kind === 'next' ? outcome.offset / 10_000_000 : outcome.kind,
    );
    // The second chunk was taken and its answer lost: the platform itself says where to continue.
    assert.deepEqual(kinds, [1, 'later', 2, 'later', 3, 'later', 4, 5, 6, 'done']);
    let last = await status();
    await until('it is published', async () => {
      last = await status();
      return last.kind !== 'accepted';
    });
    assert.equal(last.kind, 'published', JSON.stringify(last));

    const [{ publish_id }] = await platform.publishes();
    const media = await fetch(`${platform.url}/media/${publish_id.split('.').at(-1)}/0`);
    const [arrived, sent] = [createHash('sha256'), createHash('sha256')];
    for await (const part of media.body as unknown as AsyncIterable<Uint8Array>) arrived.update(part);
    for (const part of bytesOf(0, SIZE)) sent.update(part);
    assert.equal(arrived.digest('hex'), sent.digest('hex'));
    assert.deepEqual(await connector.sendChunk(upload, 60_000_000, read, patience()), { kind: 'done' });
  });

  it('is resumed by a worker that only knows its status, under both readings of the range', async () => {
    for (const uploaded_range of ['count', 'last_byte']) {
      await platform.control('settings', { uploaded_range });
      const { connector, upload, status } = await start();
      await connector.sendChunk(upload, 0, read, patience());
      const second = await connector.sendChunk(upload, 10_000_000, read, patience());
      assert.deepEqual(second, { kind: 'next', offset: 20_000_000 });
      const received = acceptedOf(await status()).receivedBytes ?? 0;
      assert.equal(connector.resumeAt(upload.plan, received), 20_000_000);
      const wrong = await connector.sendChunk(upload, 50_000_000, read, patience());
      assert.deepEqual(wrong, { kind: 'next', offset: 20_000_000 });
    }
  });

  it('survives a file that cannot be read to its end', async () => {
    const { connector, upload } = await start();
    const broken = [
      async () => Promise.reject(new Error('the store is away')),
      async () =>
        Readable.from(
          (function* () {
            yield Buffer.alloc(1000);
            throw new Error('the store went away');
          })(),
        ),
      async () => Readable.from([Buffer.alloc(1000)]),
      async () => Readable.from(bytesOf(0, 10_000_001)),
    ];
    for (const readBroken of broken) {
      const outcome = await connector.sendChunk(upload, 0, readBroken, patience());
      assert.equal(outcome.kind, 'later', JSON.stringify(outcome));
    }
    await assert.rejects(connector.sendChunk(upload, 5, read, patience()), RangeError);
    await until('the platform takes it', async () => {
      const outcome = await connector.sendChunk(upload, 0, read, patience());
      return outcome.kind === 'next' && outcome.offset === 10_000_000;
    });
  });

  it('ends with its deadline, and is refused when its hour is over', async () => {
    const { connector, upload } = await start();
    await platform.control('faults', { on: 'upload', kind: 'hang' });
    const hung = await untilMet(platform, (signal) => connector.sendChunk(upload, 0, read, signal));
    assert.equal(hung.kind, 'later');
    platform.clock.advance(3_600_000);
    let late = await connector.sendChunk(upload, 0, read, patience());
    await until('an answer comes', async () => {
      if (late.kind === 'later') late = await connector.sendChunk(upload, 0, read, patience());
      return late.kind !== 'later';
    });
    assert.equal(late.kind, 'gone', JSON.stringify(late));
    platform.clock.resume();
  });
});
