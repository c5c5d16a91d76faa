// One call uploads a file, whatever it is and however often the connection breaks.
import assert from 'node:assert/strict';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, afterEach, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Airdate, type Asset, Conflict, type FileSource, Refused, type UploadOptions } from '@airdate/sdk';
import { compareBigVideo, sendBigVideo } from '../support/media/big-video.js';
import { Line } from '../support/network/cuttable-connection.js';
import { type Organization, useService } from '../support/service/harness.js';
import { MIB } from '../support/service/part-uploads.js';
import { media } from '../support/service/uploads.js';
import { ROOT } from '../support/sources/sdk-sources.js';

/** Two parts, the last of which is short. */
const SIZE = 9 * MIB;
const SLIDE = join(ROOT, 'server/test/media/slide.png');

describe('posts.upload', () => {
  const line = new Line();
  before(() => line.start());
  const service = useService('sqlite', () => ({ env: { PUBLIC_URL: line.url } }));
  const dir = mkdtempSync(join(tmpdir(), 'airdate-sdk-'));
  const film = join(dir, 'film.mp4');
  let org: Organization;
  let airdate: Airdate;
  before(async () => {
    await pipeline(sendBigVideo(SIZE), createWriteStream(film));
    line.target = service.url;
    org = await service.newOrganization();
    airdate = new Airdate({ url: line.url, apiKey: org.key });
  });
  afterEach(() => line.clear());
  after(async () => {
    await line.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const bytesOf = async ({ url }: Asset) => new Uint8Array(await (await fetch(url)).arrayBuffer());

  async function assertWhole({ url }: Asset): Promise<void> {
    const { body } = await fetch(url);
    assert.ok(body);
    await pipeline(body, compareBigVideo(SIZE));
  }

  const slide = () => new Blob([media('slide.png')], { type: 'image/png' });
  const sources: [string, () => FileSource, UploadOptions][] = [
    ['a path', () => SLIDE, {}],
    ['a file URL', () => pathToFileURL(SLIDE), {}],
    ['a File', () => new File([slide()], 'slide.png', { type: 'image/png' }), {}],
    ['a Blob', slide, { filename: 'slide.png' }],
    ['bytes', () => media('slide.png'), { filename: 'slide.png' }],
    ['a stream of the web', () => slide().stream(), { filename: 'slide.png' }],
    ['a stream of Node', () => createReadStream(SLIDE), { contentType: 'image/png' }],
    [
      'an iterable of known length',
      () => slide().stream(),
      { filename: 'a.png', contentLength: slide().size },
    ],
  ];
  for (const [title, source, options] of sources)
    it(`takes ${title}`, async () => {
      const id = await org.addPost();
      const asset = await airdate.posts.upload(id, source(), options);
      assert.equal(asset.content_type, 'image/png');
      assert.deepEqual(await bytesOf(asset), media('slide.png'));
      const { data, pending } = await airdate.posts.assets.list(id);
      assert.deepEqual([data.length, pending], [1, []]);
    });

  it('reports its progress up to the last byte', async () => {
    const seen: number[] = [];
    const total = statSync(SLIDE).size;
    await airdate.posts.upload(await org.addPost(), SLIDE, {
      onProgress: (progress) => {
        assert.equal(progress.total, total);
        seen.push(progress.sent);
      },
    });
    assert.equal(seen.at(-1), total);
  });

  it('names the type that it cannot guess, and what the service refuses', async () => {
    const id = await org.addPost();
    await assert.rejects(airdate.posts.upload(id, new Uint8Array(9)), /contentType/);
    const nonsense = airdate.posts.upload(id, new Uint8Array(900), { filename: 'a.png' });
    await assert.rejects(nonsense, { name: 'Refused', code: 'media_rejected' });
    await assert.rejects(airdate.posts.upload(id, join(dir, 'none.png')), { code: 'ENOENT' });
    assert.ok(Refused);
  });

  for (const fate of ['cut', 'lose'] as const)
    it(`sends a file again whose PUT was ${fate === 'cut' ? 'cut' : 'not answered'}, and has it once`, async () => {
      const id = await org.addPost();
      let cuts = 0;
      line.decide = ({ method }) => (method === 'PUT' && cuts++ === 0 ? fate : 'pass');
      await airdate.posts.upload(id, SLIDE);
      const { data, pending } = await airdate.posts.assets.list(id);
      assert.deepEqual([data.length, pending.length, cuts], [1, 0, 2]);
    });

  it('sends a video in parts, with a checksum of each', async () => {
    const id = await org.addPost({ post_type: 'video' });
    const sent: number[] = [];
    const options = { parts: true, onProgress: (progress: { sent: number }) => sent.push(progress.sent) };
    await assertWhole(await airdate.posts.upload(id, film, options));
    const puts = line.passed.filter(({ method }) => method === 'PUT');
    assert.deepEqual(
      puts.map(({ headers }) => [headers['content-length'], headers['content-md5']?.length]),
      [
        [String(8 * MIB), 24],
        [String(MIB), 24],
      ],
    );
    assert.equal(sent.at(-1), SIZE);
    assert.deepEqual(
      sent,
      sent.toSorted((a, b) => a - b),
    );
  });

  it('goes on after lost connections, and sends only what was cut again', async () => {
    const id = await org.addPost({ post_type: 'video' });
    const fates = ['pass', 'cut', 'lose'] as const;
    let puts = 0;
    line.decide = ({ method }) => (method === 'PUT' ? (fates[puts++] ?? 'pass') : 'pass');
    const stream = Readable.toWeb(createReadStream(film)) as ReadableStream<Uint8Array>;
    const options = { filename: 'film.mp4', contentLength: SIZE, parts: true };
    await assertWhole(await airdate.posts.upload(id, stream, options));
    // The part whose PUT was not answered has arrived.
    assert.equal(puts, 3);
  });

  it('continues an upload that another process began', async () => {
    const id = await org.addPost({ post_type: 'video' });
    const controller = new AbortController();
    let uploadId = '';
    let puts = 0;
    line.decide = ({ method }) => {
      if (method === 'PUT' && ++puts === 2) controller.abort(new Error('the process ends'));
      return 'pass';
    };
    const options: UploadOptions = {
      parts: true,
      signal: controller.signal,
      onUploadId: (name) => {
        uploadId = name;
      },
    };
    await assert.rejects(airdate.posts.upload(id, film, options), { message: 'the process ends' });
    line.clear();
    await assertWhole(await airdate.posts.upload(id, film, { resume: uploadId }));
    assert.equal(line.passed.filter(({ method }) => method === 'PUT').length, 1);
  });

  it('replaces a video only if asked to', async () => {
    const id = await org.addPost({ post_type: 'video' });
    const video = join(ROOT, 'server/test/media/tiny.mp4');
    await airdate.posts.upload(id, video);
    await assert.rejects(airdate.posts.upload(id, video), Conflict);
    const { object_key } = await airdate.posts.upload(id, video, { replace: true });
    const { data } = await airdate.posts.assets.list(id);
    assert.deepEqual(
      data.map((asset) => asset.object_key),
      [object_key],
    );
  });
});
