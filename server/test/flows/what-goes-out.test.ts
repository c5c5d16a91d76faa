// What the platform receives carries nothing but the picture or the video, whatever else the file holds. The stored file stays.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import sharp from 'sharp';
import { asSent } from '../support/media/sent-video.js';
import {
  PLANTED,
  TELLING_PICTURES,
  TELLING_VIDEOS,
  type TellingFile,
} from '../support/media/telling-media.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { onlyDispatch, published, readPost } from '../support/service/posts.js';
import { download, grant, listAssets, put } from '../support/service/uploads.js';
import { type Creator, useTidyWorld } from '../support/world/world.js';

const FILES = [...TELLING_PICTURES, ...TELLING_VIDEOS];

onEngines('sqlite', 'What goes out', (engine) => {
  const world = useTidyWorld(engine);

  async function addFile({ org }: Creator, id: string, { name, contentType, bytes }: TellingFile) {
    const { upload_url } = await grant(org, id, { filename: name, content_type: contentType });
    const answer = await put(upload_url, new Uint8Array(bytes), contentType);
    assert.equal(answer.status, 200, answer.text);
  }

  async function publishFiles(creator: Creator, type: 'slides' | 'video', files: readonly TellingFile[]) {
    const id = await creator.org.addPost({ post_type: type, title: 'Telling' });
    for (const file of files) await addFile(creator, id, file);
    await published(creator.org, id, creator.accountId);
    await world.settle((await onlyDispatch(creator.org, id)).publish_id ?? '');
    assert.equal((await readPost(creator.org, id)).status, 'posted');
    const stored = (await listAssets(creator.org, id)).data;
    for (const [n, { url }] of stored.entries())
      assert.deepEqual(Buffer.from((await download(url)).bytes), files[n]?.bytes, 'the stored file stays');
  }

  it(`holds none of ${FILES.reduce((sum, { words }) => sum + words, 0)} words that were planted in JPEG, PNG, MP4, MOV and WebM`, async () => {
    for (const { bytes, words } of FILES)
      assert.equal(bytes.toString('latin1').split(PLANTED).length - 1, words, 'as planted');
    const creator = await world.creator();
    await publishFiles(creator, 'slides', TELLING_PICTURES);
    for (const video of TELLING_VIDEOS) await publishFiles(creator, 'video', [video]);

    const received = world.platform.receivedFiles();
    assert.equal(received.length, FILES.length);
    assert.deepEqual(
      received.filter((bytes) => bytes.includes(PLANTED)),
      [],
    );
    const slides = received.filter((bytes) => bytes.readUInt16BE(0) === 0xffd8);
    assert.equal(slides.length, TELLING_PICTURES.length);
    for (const picture of slides) {
      const { exif, xmp, iptc, icc, orientation } = await sharp(picture).metadata();
      assert.deepEqual([exif, xmp, iptc, icc, orientation], Array(5).fill(undefined));
    }
    for (const { bytes, contentType } of TELLING_VIDEOS) {
      const sent = await asSent(bytes, contentType);
      assert.ok(
        received.some((file) => file.equals(sent)),
        contentType,
      );
    }
  });
});
