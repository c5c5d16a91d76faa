// What of a stored video must not leave with it: the ranges that are overwritten while it is sent. The stored file stays as it is.
// Runs in a process of its own (../child.ts).
import type { Answers, Read, Task } from '../tasks.js';
import { headersOf, TooMuch } from './headers.js';
import { metadataOfMp4 } from './mp4.js';
import { metadataOfWebm } from './webm.js';

/** Reads headers and tables only, and says the same whenever it is asked. */
export async function findMetadata({ type, size }: Task, read: Read): Promise<Answers['metadata']> {
  const headers = headersOf(size, read);
  try {
    const overwrites = await (type === 'video/webm' ? metadataOfWebm(headers) : metadataOfMp4(headers));
    return { ok: true, overwrites };
  } catch (error) {
    if (error instanceof TooMuch)
      return { ok: false, reason: 'The video has too many parts. Save it again and upload the new copy.' };
    throw error;
  }
}
