// One download: from an address into the store, under the limits of an upload. The type comes from the first bytes.
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { App } from '../../app/app.js';
import { OutboundError } from '../../core/outbound/outbound.js';
import { AppError } from '../../core/problems.js';
import type { AssetRow } from '../../db/tables.js';
import { uploadKey } from '../../object-store/object-keys.js';
import { reserveUploadBytes } from '../../quotas/upload-reservations.js';
import { type AssetKind, KINDS } from '../limits.js';
import { detectType } from '../media/inspect.js';

/** Why there is no file, for people. Final: the next try would bring the same. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly isFinal: boolean;
  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

const final = (message: string) => new DownloadError(message, true);
const passing = (message: string) => new DownloadError(message, false);

/** The time limit of a download: resolving the name, connecting and the whole file. */
const MAX_MS: Record<AssetKind, number> = { slide: 2 * 60_000, video: 30 * 60_000 };

/** The longest pause without a byte. */
const IDLE_MS = 30_000;

/** Enough for every type that is accepted. */
const HEAD_BYTES = 4096;

/**
 * Leaves the file where an upload would be. `retype` is called with the type of the file before any of it is stored, and returns
 * the asset as it is from then on.
 */
export async function download(
  app: App,
  url: string,
  asset: AssetRow,
  signal: AbortSignal,
  retype: (contentType: string) => Promise<AssetRow>,
): Promise<AssetRow> {
  const { maxLength, maxLengthInWords } = KINDS[asset.kind];
  const tooLarge = () => final(`The file is larger than ${maxLengthInWords}, the most for a ${asset.kind}.`);
  const { status, headers, body } = await app.outbound
    .open(url, { method: 'GET', headers: HEADERS, signal, timeoutMs: MAX_MS[asset.kind] })
    .catch((error) => {
      throw error instanceof OutboundError && error.code === 'refused' ? final(error.message) : error;
    });
  const idle = setTimeout(
    () => body.destroy(passing('The address stopped sending before the file was complete.')),
    IDLE_MS,
  );
  const began = performance.now();
  try {
    assertDownloadStatus(status);
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (length > maxLength) throw tooLarge();
    const room = await reserveUploadBytes(app, asset.org_id, Number.isNaN(length) ? null : length).catch(
      asUnusable,
    );
    let received = 0;
    const measure = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        idle.refresh();
        received += chunk.length;
        const full = room?.take(chunk.length) ?? null;
        if (received > maxLength) done(tooLarge());
        else done(full === null ? null : final(full.message), chunk);
      },
    });
    // Its failure is that of the reader below.
    const measured = pipeline(body, measure).catch((error) => void measure.destroy(error));
    try {
      const head = await readHead(measure);
      const retyped = await retype(acceptedType(asset.kind, await detectType(head)));
      await app.store.receive(uploadKey(retyped.object_key), measure);
      return retyped;
    } catch (error) {
      if (performance.now() - began < MAX_MS[asset.kind]) throw error;
      throw final(`The file did not arrive within ${MAX_MS[asset.kind] / 60_000} minutes.`);
    } finally {
      measure.destroy();
      await measured;
      room?.leave();
    }
  } finally {
    clearTimeout(idle);
    body.destroy();
  }
}

const HEADERS = {
  accept: 'image/jpeg, image/png, video/*, */*;q=0.1',
  'accept-encoding': 'identity',
  'user-agent': 'Airdate',
};

/** Waits for the first bytes and puts them back. */
async function readHead(stream: Transform): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const part = stream.read() as Buffer | null;
    if (part !== null) {
      parts.push(part);
      size += part.length;
      continue;
    }
    if (stream.readableEnded || stream.errored || stream.destroyed) break;
    await new Promise<void>((resolve) => {
      const events = ['readable', 'end', 'error', 'close'];
      const go = () => {
        for (const event of events) stream.off(event, go);
        resolve();
      };
      for (const event of events) stream.on(event, go);
    });
  }
  if (stream.errored) throw stream.errored;
  const head = Buffer.concat(parts);
  if (size > 0) stream.unshift(head);
  return head;
}

function assertDownloadStatus(status: number): void {
  if (status === 200) return;
  if (status >= 300 && status < 400)
    throw final(`The address redirects (${status}), which is not followed. Use the address it leads to.`);
  const message = `The address answered ${status} instead of a file.`;
  const mayPass = status === 408 || status === 425 || status === 429 || status >= 500;
  throw mayPass ? passing(message) : final(message);
}

function acceptedType(kind: AssetKind, type: string | null): string {
  const types = Object.keys(KINDS[kind].extensions);
  if (type !== null && types.includes(type)) return type;
  throw final(
    `${type === null ? 'What the address sends is no picture or video' : `The file is ${type}`}. A ${kind} must be ${types.join(' or ')}.`,
  );
}

function asUnusable(error: unknown): never {
  throw error instanceof AppError ? final(error.message) : error;
}
