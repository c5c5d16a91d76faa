// What of a stored video must not leave with it: the ranges that are overwritten while it is sent. The stored file stays as it is.
import type { FileBytes } from '../verdict.js';
import { headersOf } from './headers.js';
import { metadataOfMp4 } from './mp4.js';
import type { Overwrite } from './overwrite.js';
import { metadataOfWebm } from './webm.js';

/** Reads headers only, and says the same whenever it is asked. In the order of their starts. */
export function metadataOf(file: FileBytes, contentType: string): Promise<Overwrite[]> {
  const headers = headersOf(file);
  return contentType === 'video/webm' ? metadataOfWebm(headers) : metadataOfMp4(headers);
}
