import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { chunk, fileOf, fixture, PNG_SIGNATURE, png, text, u32 } from '../../../test/support/media/parts.js';
import { inspect } from './inspect.js';

async function accepted(bytes: Buffer, type: string) {
  const verdict = await inspect(fileOf(bytes), type);
  assert.ok(verdict.ok, verdict.ok ? '' : verdict.reason);
  return verdict;
}

async function reasonOf(bytes: Buffer, type: string): Promise<string> {
  const verdict = await inspect(fileOf(bytes), type);
  assert.ok(!verdict.ok, 'the file was accepted');
  return verdict.reason;
}

describe('a file that is not what it says', () => {
  it('is refused with what it is and what to do', async () => {
    assert.equal(
      await reasonOf(fixture('slide.jpg'), 'image/png'),
      'This file is image/jpeg, not image/png. Upload it as image/jpeg.',
    );
    assert.equal(
      await reasonOf(fixture('tiny.mov'), 'video/mp4'),
      'This file is video/quicktime, not video/mp4. Upload it as video/quicktime.',
    );
    assert.equal(
      await reasonOf(Buffer.from('GIF89a\x01\0\x01\0\0\0\0;'), 'image/png'),
      'This file is image/gif, not image/png. Save it as PNG and upload the new copy.',
    );
    assert.equal(
      await reasonOf(Buffer.from('%PDF-1.7\n'), 'video/webm'),
      'This file is application/pdf, not video/webm. Upload a valid WebM.',
    );
    assert.equal(
      await reasonOf(Buffer.from('<html>'), 'image/jpeg'),
      "This isn't a valid JPEG. Choose another file.",
    );
    assert.equal(await reasonOf(Buffer.alloc(0), 'image/png'), 'The file is empty. Upload it again.');
  });

  it('is refused if its type is not supported', async () => {
    for (const type of ['image/webp', 'text/html', '', 'constructor', 'IMAGE/PNG'])
      assert.match(
        await reasonOf(fixture('slide.png'), type),
        /^Files of type .* are not accepted\. Upload PNG, JPEG/,
      );
  });
});

describe('a picture', () => {
  it('is known by its size, and gets a thumbnail that fits', async () => {
    const jpeg = await accepted(fixture('slide.jpg'), 'image/jpeg');
    assert.deepEqual(jpeg.found, { width: 1080, height: 1920, durationMs: null, codec: null });
    const { format, width, height } = await sharp(jpeg.thumbnail as Buffer).metadata();
    assert.deepEqual({ format, width, height }, { format: 'webp', width: 480, height: 853 });

    const picture = await accepted(fixture('slide.png'), 'image/png');
    assert.deepEqual(picture.found, { width: 135, height: 240, durationMs: null, codec: null });
  });

  it('is not enlarged for the thumbnail', async () => {
    const { thumbnail } = await accepted(png({ width: 30, height: 20 }), 'image/png');
    const { width, height } = await sharp(thumbnail as Buffer).metadata();
    assert.deepEqual([width, height], [30, 20]);
  });

  it('is rotated as its EXIF data says, in its size and in its thumbnail, which keeps no metadata', async () => {
    // Red at the top of the file; rotation moves it elsewhere.
    const top = { create: { width: 60, height: 10, channels: 3, background: '#f00' } } as const;
    const upright = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#00f' } })
      .composite([{ input: top, gravity: 'north' }])
      .png()
      .toBuffer();
    const redIsAt = {
      1: [30, 2],
      2: [30, 2],
      3: [30, 37],
      4: [30, 37],
      5: [2, 30],
      6: [37, 30],
      7: [37, 30],
      8: [2, 30],
    };
    for (const [orientation, [x, y]] of Object.entries(redIsAt) as [string, [number, number]][]) {
      const plan = sharp(upright).withMetadata({ orientation: Number(orientation) });
      for (const [type, bytes] of [
        ['image/jpeg', await plan.clone().jpeg({ quality: 100 }).toBuffer()],
        ['image/png', await plan.clone().png().toBuffer()],
      ] as const) {
        const { found, thumbnail } = await accepted(bytes, type);
        const expected = Number(orientation) >= 5 ? [40, 60] : [60, 40];
        assert.deepEqual([found.width, found.height], expected, `${type} ${orientation}`);
        const meta = await sharp(thumbnail as Buffer).metadata();
        assert.deepEqual([meta.width, meta.height], expected);
        assert.deepEqual([meta.exif, meta.xmp, meta.icc, meta.orientation], Array(4).fill(undefined));
        const { data, info } = await sharp(thumbnail as Buffer)
          .removeAlpha()
          .raw()
          .toBuffer({ resolveWithObject: true });
        const [red, , blue] = data.subarray((y * info.width + x) * info.channels);
        assert.ok((red as number) > 150 && (blue as number) < 100, `${type} ${orientation}: ${red} ${blue}`);
      }
    }
  });

  it('may be animated, as PNG, and may begin with long texts', async () => {
    await accepted(png({ before: [chunk('acTL', u32(1, 0))] }), 'image/png');
    for (const length of [4030, 4046, 4048, 4050, 100_000]) {
      const long = chunk('tEXt', Buffer.concat([text('Comment\0'), Buffer.alloc(length, 'x')]));
      await accepted(png({ before: [long] }), 'image/png');
    }
  });

  it('has at most 50 megapixels and 16,384 pixels a side, which is known before anything is decoded', async () => {
    const { found } = await accepted(png({ width: 8192, height: 6103, depth: 1 }), 'image/png');
    assert.equal(found.width * found.height, 49_995_776);
    const nothingToDecode = Buffer.alloc(0);
    const tooBig = png({ width: 8192, height: 6104, pixels: nothingToDecode });
    assert.match(
      await reasonOf(tooBig, 'image/png'),
      /^The image has 8192 × 6104 pixels\. Make it 50 megapixels/,
    );

    await accepted(png({ width: 16_384, height: 4 }), 'image/png');
    const tooWide = png({ width: 16_385, height: 4, pixels: nothingToDecode });
    assert.match(
      await reasonOf(tooWide, 'image/png'),
      /16385 × 4 pixels\. Make each side 16,384 pixels or shorter/,
    );
  });

  it('may be interlaced or progressive, as long as it can be held in memory', async () => {
    await accepted(png({ width: 300, height: 200, colour: 6, interlaced: true }), 'image/png');
    const photo = sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#888' } });
    await accepted(await photo.jpeg({ progressive: true }).toBuffer(), 'image/jpeg');
  });

  it('is refused if any part of it is missing', async () => {
    for (const name of ['slide.jpg', 'slide.png']) {
      const whole = fixture(name);
      const type = name.endsWith('png') ? 'image/png' : 'image/jpeg';
      for (const part of [0.02, 0.3, 0.9])
        await reasonOf(whole.subarray(0, Math.floor(whole.length * part)), type);
    }
  });

  it('of more than 20 MB is refused unread', async () => {
    const file = fileOf(Buffer.concat([PNG_SIGNATURE, Buffer.alloc(20 * 1024 * 1024)]));
    const verdict = await inspect(file, 'image/png');
    assert.match(verdict.ok ? '' : verdict.reason, /larger than 20 MB/);
    assert.equal(file.bytesRead, 4096);
  });
});
