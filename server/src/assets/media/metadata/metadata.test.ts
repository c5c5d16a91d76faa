import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fragmentedMp4, mp4, run } from '../../../../test/support/media/mp4.js';
import {
  box,
  element,
  fileOf,
  fixture,
  text,
  UNKNOWN_SIZE,
  u32,
  zeros,
} from '../../../../test/support/media/parts.js';
import { asSent, overwritesOf } from '../../../../test/support/media/sent-video.js';
import { PLANTED, TELLING_VIDEOS } from '../../../../test/support/media/telling-media.js';
import { cluster, webm } from '../../../../test/support/media/webm.js';
import { inspect } from '../inspect.js';
import { readInChild } from '../read-in-child.js';
import { overwriting } from './overwrite.js';

/** The file in pieces of this length, each read on its own like a chunk of an upload that is continued. */
async function inPieces(bytes: Buffer, type: string, length: number): Promise<Buffer> {
  const metadata = await overwritesOf(bytes, type);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += length)
    pieces.push(await buffer(overwriting(Readable.from([bytes.subarray(at, at + length)]), at, metadata)));
  return Buffer.concat(pieces);
}

describe('a video as it is sent', () => {
  for (const { name, contentType, bytes, words } of TELLING_VIDEOS)
    it(`${name}: holds none of ${words} planted words, has its length, and plays as before`, async () => {
      assert.equal(bytes.toString('latin1').split(PLANTED).length - 1, words);
      const sent = await asSent(bytes, contentType);
      assert.equal(sent.indexOf(PLANTED), -1);
      assert.equal(sent.length, bytes.length);
      assert.deepEqual(await inspect(fileOf(sent), contentType), await inspect(fileOf(bytes), contentType));
      assert.deepEqual(await asSent(sent, contentType), sent, 'sent again, it stays');
    });

  it('is the same in pieces of any length', async () => {
    const [, mov, web] = TELLING_VIDEOS;
    for (const { bytes, contentType } of [mov!, web!]) {
      const whole = await asSent(bytes, contentType);
      for (const length of [1_009, 4_096, 65_536, bytes.length - 1])
        assert.deepEqual(await inPieces(bytes, contentType, length), whole, `${contentType} by ${length}`);
    }
    const small = mp4({ more: [box('udta', box('\xa9xyz', text(PLANTED)))] });
    const whole = await asSent(small);
    for (const length of [1, 2, 3, 5, 7]) assert.deepEqual(await inPieces(small, 'video/mp4', length), whole);
  });

  it('keeps every byte of its pictures and sound', async () => {
    const original = fixture('tiny.mov');
    const sent = await asSent(original, 'video/quicktime');
    const [from, to] = [28, 28 + 34_839];
    assert.deepEqual(sent.subarray(from, to), original.subarray(from, to));
  });

  it('loses metadata in fragments, and after a box with its size in 64 bits', async () => {
    const telling = box('udta', box('loci', text(`${PLANTED}loci`)));
    const wide = Buffer.concat([u32(1), text('uuid'), u32(0, 16 + 40), text(PLANTED.padEnd(40))]);
    const parts = [fragmentedMp4([run(10), telling]), box('emsg', text(PLANTED)), wide, telling];
    const sent = await asSent(Buffer.concat(parts));
    assert.equal(sent.indexOf(PLANTED), -1);
    assert.equal(
      sent.toString('latin1', sent.length - telling.length + 4, sent.length - telling.length + 8),
      'free',
    );
    assert.equal((await inspect(fileOf(sent), 'video/mp4')).ok, true);
  });

  it('loses tracks of data over time, and what they hold', async () => {
    // Beside the video, a track with three samples of locations in two groups.
    const locations = ['one', 'two', 'three'].map((location) => text(`${PLANTED}${location.padEnd(8)}`));
    const [first, second] = [Buffer.concat(locations.slice(0, 2)), locations[2] as Buffer];
    const video = mp4({
      wrap: ({ ftyp, moov, mdat }) => {
        const at = ftyp.length + mdat.length + 8;
        const data = box('mdat', first, text('kept'), second);
        const stbl = box(
          'stbl',
          box('stsd', u32(0, 1), box('gpmd', zeros(8))),
          box('stts', u32(0, 1, 3, 100)),
          box('stsz', u32(0, 0, 3), u32(...locations.map(({ length }) => length))),
          box('stsc', u32(0, 2, 1, 2, 1, 2, 1, 1)),
          box('stco', u32(0, 2, at, at + first.length + 4)),
        );
        const hdlr = box('hdlr', u32(0, 0), text('meta'), zeros(13));
        const trak = box('trak', box('tkhd', zeros(84)), box('mdia', hdlr, box('minf', stbl)));
        return [ftyp, mdat, data, box('moov', moov.subarray(8), trak)];
      },
    });
    const sent = await asSent(video);
    assert.equal(sent.indexOf(PLANTED), -1);
    assert.equal(sent.indexOf('gpmd'), -1);
    assert.ok(sent.includes('kept'));
    assert.deepEqual(await inspect(fileOf(sent), 'video/mp4'), await inspect(fileOf(mp4()), 'video/mp4'));
  });

  it('is recorded live, with clusters of unknown size and tags after them', async () => {
    const tags = element('1254c367', text(`${PLANTED}tags`));
    const live = webm({
      duration: null,
      segmentSize: UNKNOWN_SIZE,
      clusters: [cluster(UNKNOWN_SIZE), tags, cluster(UNKNOWN_SIZE)],
    });
    const sent = await asSent(live, 'video/webm');
    assert.equal(sent.indexOf(PLANTED), -1);
    assert.equal(sent.toString('latin1').split('some picture').length - 1, 6);
    assert.deepEqual(await inspect(fileOf(sent), 'video/webm'), await inspect(fileOf(live), 'video/webm'));
  });

  it('is found out in few reads, and in bounded work whatever its boxes say', async () => {
    const file = fileOf(fixture('clip-12s-moov-at-end.mp4'));
    await readInChild('metadata', 'video/mp4', file);
    assert.ok(file.bytesRead < 100_000, `${file.bytesRead} bytes were read`);
    const many = Buffer.alloc(8_000_000, box('free'));
    assert.equal(
      (await readInChild('metadata', 'video/mp4', fileOf(many))).ok,
      false,
      'too many to overwrite',
    );
    for (const lie of [zeros(4096), box('moov', zeros(64)), u32(0xffffffff), text('moov'), zeros(0)])
      assert.equal((await asSent(lie)).length, lie.length);
    for (const lie of [zeros(64), element('18538067', zeros(64)), text('junk'), Buffer.alloc(99, 0xff)])
      assert.equal((await asSent(lie, 'video/webm')).length, lie.length);
  });

  it('is refused at its inspection if a table of a data track lies about more than it has', async () => {
    const withTables = (...tables: Buffer[]) =>
      mp4({
        wrap: ({ ftyp, moov, mdat }) => {
          const hdlr = box('hdlr', u32(0, 0), text('meta'), zeros(13));
          const trak = box('trak', box('mdia', hdlr, box('minf', box('stbl', ...tables))));
          return [ftyp, mdat, box('moov', moov.subarray(8), trak)];
        },
      });
    // Samples without end, one byte each, all in one group.
    const endless = withTables(
      box('stsz', u32(0, 1, 0xffffffff)),
      box('stsc', u32(0, 1, 1, 0xffffffff, 1)),
      box('stco', u32(0, 1, 40)),
    );
    assert.equal((await asSent(endless)).length, endless.length);
    const offsets = Buffer.alloc(4 * 200_000);
    for (let n = 0; n < 200_000; n++) offsets.writeUInt32BE(2 * n, 4 * n);
    const scattered = withTables(
      box('stsz', u32(0, 1, 200_000)),
      box('stsc', u32(0, 1, 1, 1, 1)),
      box('stco', u32(0, 200_000), offsets),
      zeros(400_000),
    );
    assert.match(JSON.stringify(await inspect(fileOf(scattered), 'video/mp4')), /too many parts/);
  });

  it('loses what follows something that is no box or element', async () => {
    const trailing = Buffer.concat([mp4(), u32(3), text(`abcd${PLANTED}`)]);
    assert.equal((await asSent(trailing)).indexOf(PLANTED), -1);
    const short = Buffer.concat([mp4(), text('GPS=1')]);
    assert.equal((await asSent(short)).indexOf('GPS'), -1);
    const live = Buffer.concat([webm(), Buffer.from([0, 0]), text(PLANTED)]);
    assert.equal((await asSent(live, 'video/webm')).indexOf(PLANTED), -1);
  });
});
