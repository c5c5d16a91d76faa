// Sends one chunk of a video as a stream, and reads from the HTTP response where to continue.
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ChunkOutcome, ReadRange, VideoUpload } from '../connector.js';
import { arrivedBytes, chunkEnd } from './chunks.js';
import { exchange, retryAfterMs } from './http.js';
import { failure, later } from './outcomes.js';

export async function sendChunk(
  { address, contentType, plan }: VideoUpload,
  offset: number,
  read: ReadRange,
  signal: AbortSignal,
): Promise<ChunkOutcome> {
  if (offset === plan.videoSize) return { kind: 'done' };
  const end = chunkEnd(plan, offset);
  if (end === null) throw new RangeError(`no chunk begins at ${offset}`);

  let isReadable = true;
  const body = async (request: Writable) => {
    try {
      const bytes = await read(offset, end);
      await pipeline(bytes, exactLength(end - offset), request, { signal });
    } catch (error) {
      isReadable = false;
      throw error;
    }
  };
  const headers = {
    'content-type': contentType,
    'content-length': String(end - offset),
    'content-range': `bytes ${offset}-${end - 1}/${plan.videoSize}`,
  };
  const raw = await exchange(new URL(address), { method: 'PUT', headers, body, isFresh: false }, signal);
  if ('fault' in raw) {
    if (raw.fault === 'not_sent') return later('not_reached', "The platform couldn't be reached");
    return isReadable || signal.aborted
      ? later('no_answer', "The platform didn't answer")
      : later('interrupted', 'The file could not be sent completely');
  }

  const { status } = raw;
  const arrived = arrivedBytes(plan, raw.headers['content-range']);
  const code = `http_${status}`;
  switch (status) {
    case 200:
    case 201:
    case 206:
      // The status is documented; the header only corrects it.
      return goOn(status === 201 ? plan.videoSize : (arrived ?? end));
    case 416:
      if (arrived !== null) return goOn(arrived);
      return failure('offset_mismatch', code, 'The platform expects another part of the file');
    case 403:
    case 404:
    case 410:
      return failure('gone', code, 'The platform no longer waits for the file');
    default:
      if (status === 429 || status === 408 || status >= 500)
        return later(code, 'The platform cannot receive the file at the moment', retryAfterMs(raw.headers));
      return failure('refused', code, "The platform doesn't accept the file");
  }

  function goOn(next: number): ChunkOutcome {
    return next === plan.videoSize ? { kind: 'done' } : { kind: 'next', offset: next };
  }
}

/** With too few bytes the platform would wait for the rest; extra bytes would be read as something else. */
function exactLength(length: number): Transform {
  let left = length;
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      left -= part.length;
      done(left < 0 ? new Error('more bytes than the chunk has') : null, part);
    },
    flush(done) {
      done(left > 0 ? new Error('fewer bytes than the chunk has') : null);
    },
  });
}
