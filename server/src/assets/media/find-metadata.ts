// Has the metadata of a video found in another process.
import { LIMITS, type Limits, readInChild } from './read-in-child.js';
import type { Answers } from './tasks.js';
import type { FileBytes } from './verdict.js';

/** A video in which it cannot be found is not sent; inspection refuses it. */
export const metadataOf = (
  file: FileBytes,
  type: string,
  limits: Limits = LIMITS,
  signal?: AbortSignal,
): Promise<Answers['metadata']> =>
  readInChild({ kind: 'metadata', type, size: file.size }, file, limits, signal);
