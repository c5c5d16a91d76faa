import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { fixture } from '../../../test/support/media/parts.js';
import { fitPicture } from './fit-picture.js';

const fit = (bytes: Buffer) => fitPicture(async () => Readable.from([bytes]));
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } });

describe('a picture for the platform', () => {
  const SIZES: [width: number, height: number, fittedWidth: number, fittedHeight: number][] = [
    [600, 400, 600, 400],
    [1080, 1920, 1080, 1920],
    [1254, 1254, 1080, 1080],
    [1086, 1448, 1080, 1440],
    [4000, 3000, 1440, 1080],
    [2160, 3840, 1080, 1920],
    [500, 5000, 192, 1920],
  ];
  for (const [width, height, ...fitted] of SIZES)
    it(`of ${width} × ${height} becomes ${fitted.join(' × ')}`, async () => {
      const found = await sharp(await fit(await plain(width, height).png().toBuffer())).metadata();
      assert.deepEqual([found.format, found.width, found.height], ['jpeg', ...fitted]);
    });

  it('is upright, in sRGB and without metadata', async () => {
    const turned = await plain(1000, 1500)
      .jpeg()
      .withExif({ IFD0: { Artist: 'An artist', ImageDescription: 'Somewhere' } })
      .withMetadata({ orientation: 6, icc: 'p3' })
      .toBuffer();
    const { width, height, orientation, exif, icc, xmp, space } = await sharp(await fit(turned)).metadata();
    assert.deepEqual([width, height, orientation, space], [1500, 1000, undefined, 'srgb']);
    assert.deepEqual([exif, icc, xmp], [undefined, undefined, undefined]);
  });

  it('is left as it is if it is a JPEG that fits and holds nothing but the picture', async () => {
    const fitting = await plain(1080, 1350).jpeg().toBuffer();
    assert.deepEqual(await fit(fitting), fitting);
    const tooLarge = await plain(1200, 1350).jpeg().toBuffer();
    assert.notDeepEqual(await fit(tooLarge), tooLarge);
    for (const telling of [
      await plain(90, 160)
        .jpeg()
        .withExif({ IFD0: { Artist: 'An artist' } })
        .toBuffer(),
      await plain(90, 160).jpeg().withIccProfile('p3').toBuffer(),
      await plain(90, 160).toColourspace('cmyk').jpeg().toBuffer(),
      Buffer.concat([await plain(90, 160).jpeg().toBuffer(), Buffer.from('and something behind it')]),
    ]) {
      const fitted = await fit(telling);
      assert.notDeepEqual(fitted, telling);
      const { exif, icc, space } = await sharp(fitted).metadata();
      assert.deepEqual([exif, icc, space], [undefined, undefined, 'srgb']);
    }
  });

  it('is fitted by the decoding process if it is a JPEG of thousands of segments', async () => {
    const fitting = await plain(90, 160).jpeg().toBuffer();
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 0x68, 0x69]);
    const wordy = Buffer.concat([
      fitting.subarray(0, 2),
      ...Array.from({ length: 3_000 }, () => comment),
      fitting.subarray(2),
    ]);
    const fitted = await fit(wordy);
    assert.equal(fitted.indexOf(comment), -1);
    const { width, height } = await sharp(fitted).metadata();
    assert.deepEqual([width, height], [90, 160]);
  });

  it('has white where it was transparent', async () => {
    const clear = sharp({
      create: { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    });
    const { data } = await sharp(await fit(await clear.png().toBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.ok(data.every((sample) => sample >= 250));
  });

  it('is made of what cameras and editors store, and stays far under 20 MB even as noise', async () => {
    for (const name of ['slide.png', 'slide.jpg']) assert.ok((await fit(fixture(name))).length > 0);
    const raw = { width: 1080, height: 1920, channels: 3 } as const;
    const noise = await sharp(randomBytes(1080 * 1920 * 3), { raw })
      .jpeg({ quality: 100 })
      .toBuffer();
    assert.ok((await fit(noise)).length < 5_000_000);
  });

  it('is not made of anything else', async () => {
    await assert.rejects(fit(Buffer.from('<html>')));
    await assert.rejects(fit(fixture('slide.jpg').subarray(0, 3000)));
    await assert.rejects(fit(Buffer.alloc(21 * 1024 * 1024)), RangeError);
    await assert.rejects(
      fitPicture(() => Promise.reject(new Error('the store is away'))),
      /the store is away/,
    );
  });
});
