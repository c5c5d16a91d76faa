// What the platform gets of a stored video.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Overwrite, overwriting } from '../../../src/assets/media/metadata/overwrite.js';
import { readInChild } from '../../../src/assets/media/read-in-child.js';
import { fileOf } from './parts.js';

export async function overwritesOf(video: Buffer, contentType: string): Promise<Overwrite[]> {
  const found = await readInChild('metadata', contentType, fileOf(video));
  if (!found.ok) throw new Error(found.reason);
  return found.overwrites;
}

export async function asSent(video: Buffer, contentType = 'video/mp4'): Promise<Buffer> {
  return buffer(overwriting(Readable.from([video]), 0, await overwritesOf(video, contentType)));
}
