// What the sandbox checks once it has all files: the reasons for a post to fail.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { mp4 } from '../support/media/mp4.js';
import { box, fixture, png, u32 } from '../support/media/parts.js';
import { webm } from '../support/media/webm.js';
import { type Tokens, useOther, usePlatform } from '../support/platform/test-platform.js';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#456' } });

/** Ten frames, so many milliseconds apart. */
const atRate = (ms: number, more = {}) =>
  mp4({ duration: BigInt(10 * ms), tables: { stts: box('stts', u32(0, 1, 10, ms)) }, ...more });

describe('a video', () => {
  const platform = usePlatform();
  let tokens: Tokens;
  before(async () => {
    tokens = await platform.connect('ada');
  });

  const endsIn = async (bytes: Buffer) => {
    const { status, fail_reason } = await platform.settled(tokens, await platform.upload(tokens, bytes));
    return fail_reason ?? status;
  };

  for (const name of ['tiny.mp4', 'tiny.mov', 'tiny.webm', 'clip-12s-moov-at-end.mp4'])
    it(`is published: ${name}`, async () => {
      assert.equal(await endsIn(fixture(name)), 'PUBLISH_COMPLETE');
    });

  const cases: [title: string, bytes: () => Buffer, reason: string][] = [
    ['25 frames a second', () => atRate(40), 'PUBLISH_COMPLETE'],
    ['10 frames a second', () => atRate(100), 'frame_rate_check_failed'],
    ['100 frames a second', () => atRate(10), 'frame_rate_check_failed'],
    ['a narrow picture', () => atRate(40, { width: 358 }), 'picture_size_check_failed'],
    ['a low picture', () => atRate(40, { height: 240 }), 'picture_size_check_failed'],
    ['a picture of 5000 pixels', () => atRate(40, { width: 5000 }), 'picture_size_check_failed'],
    [
      'eleven minutes',
      () => mp4({ duration: 660_000n, tables: { stts: box('stts', u32(0, 1, 10, 66_000)) } }),
      'duration_check_failed',
    ],
    ['sound without a picture', () => mp4({ kind: 'soun' }), 'file_format_check_failed'],
    ['a codec that is not taken', () => webm({ codec: 'V_AV1' }), 'file_format_check_failed'],
    ['an unknown codec', () => atRate(40, { codec: 'xxxx' }), 'file_format_check_failed'],
    ['text', () => Buffer.from('no video at all'), 'file_format_check_failed'],
    ['a picture', () => fixture('slide.jpg'), 'file_format_check_failed'],
    // A few bytes, which used to fill the memory of the whole process, and again after every restart.
    [
      '2^32-1 sizes of samples',
      () => atRate(40, { tables: { stsz: box('stsz', u32(0, 0, 0xffffffff)) } }),
      'file_format_check_failed',
    ],
    [
      'half a file',
      () => fixture('clip-12s-moov-at-end.mp4').subarray(0, 900_000),
      'file_format_check_failed',
    ],
  ];
  for (const [title, bytes, reason] of cases)
    it(`with ${title} ends in ${reason}`, async () => {
      assert.equal(await endsIn(bytes()), reason);
    });

  it('may be no longer than its creator is allowed', async () => {
    await platform.control('accounts', { username: 'ada', max_video_seconds: 3 });
    assert.equal(await endsIn(fixture('tiny.mp4')), 'duration_check_failed');
    const { json } = await platform.api('creator_info/query', tokens);
    assert.equal(json.data.max_video_post_duration_sec, 3);
  });
});

describe('a photo', () => {
  const platform = usePlatform();
  let served: Buffer[] = [];
  const files = useOther((path, response) => response.end(served[Number(path.slice(1))]));

  const endsIn = async (...photos: Buffer[]) => {
    served = photos;
    const tokens = await platform.connect('ada');
    const urls = photos.map((_, i) => `${files.url}/${i}`);
    const { json } = await platform.photos(tokens, urls);
    const { status, fail_reason } = await platform.settled(tokens, json.data.publish_id);
    return fail_reason ?? status;
  };

  it('is published as JPEG or WebP', async () => {
    assert.equal(await endsIn(fixture('slide.jpg')), 'PUBLISH_COMPLETE');
    assert.equal(await endsIn(await picture(100, 100).webp().toBuffer()), 'PUBLISH_COMPLETE');
  });

  it('may not be anything else', async () => {
    const format = 'file_format_check_failed';
    assert.equal(await endsIn(png()), format);
    assert.equal(await endsIn(await picture(10, 10).gif().toBuffer()), format);
    assert.equal(await endsIn(Buffer.from('<html>')), format);
    assert.equal(await endsIn(fixture('slide.jpg').subarray(0, 20_000)), format, 'cut off');
  });

  it('may have 1080 pixels on its shorter side', async () => {
    const jpeg = (width: number, height: number) => picture(width, height).jpeg().toBuffer();
    assert.equal(await endsIn(await jpeg(941, 1672)), 'PUBLISH_COMPLETE');
    assert.equal(await endsIn(await jpeg(1080, 1920)), 'PUBLISH_COMPLETE');
    for (const [width, height] of [
      [1086, 1448],
      [1254, 1254],
    ] as const)
      assert.equal(await endsIn(await jpeg(width, height)), 'picture_size_check_failed');
  });

  it('that is invalid fails the whole post', async () => {
    const good = fixture('slide.jpg');
    assert.equal(
      await endsIn(good, good, await picture(1200, 1200).jpeg().toBuffer()),
      'picture_size_check_failed',
    );
  });
});
