// What the platform gets of a stored video.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { metadataOf } from '../src/assets/media/metadata/metadata.js';
import { overwriting } from '../src/assets/media/metadata/overwrite.js';
import { fileOf } from './hostile/media-parts.js';

export async function asSent(video: Buffer, contentType = 'video/mp4'): Promise<Buffer> {
  const metadata = await metadataOf(fileOf(video), contentType);
  return buffer(overwriting(Readable.from([video]), 0, metadata));
}
