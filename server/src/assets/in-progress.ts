// The PUTs that this process is receiving or inspecting, by the key of their object. One grant is for one file: a new PUT to it ends
// the one before. Of two processes that share a disk, each knows its own; there the first complete file counts.

import type { UploadRegistry } from '../app/process-state.js';
import { AppError, busy } from '../core/problems.js';
import { Tally } from '../core/tally.js';

/** Per organization. A post has up to 35 slides, which clients send all at the same time. */
const MAX_PER_ORGANIZATION = 100;
const SECONDS = 5;

export function createUploadRegistry(): UploadRegistry {
  const uploads = new Map<string, { ended: Promise<void>; abort: AbortController }>();
  const counts = new Tally();

  return {
    begin(orgId, objectKey) {
      const older = uploads.get(objectKey);
      if (counts.of(orgId) >= MAX_PER_ORGANIZATION && !older)
        throw busy(
          `${MAX_PER_ORGANIZATION} files of your organization are being uploaded or inspected. Send this one when some of them are done.`,
          SECONDS,
        );
      counts.add(orgId, 1);
      const abort = new AbortController();
      let isOver = () => {};
      const ended = new Promise<void>((resolve) => {
        isOver = resolve;
      });
      const own = { ended, abort };
      uploads.set(objectKey, own);
      older?.abort.abort(
        new AppError(
          'upload_superseded',
          'A newer file was sent to the same URL and replaced this one. Nothing of this upload was stored.',
        ),
      );
      return {
        signal: abort.signal,
        older: older?.ended,
        end() {
          if (uploads.get(objectKey) === own) uploads.delete(objectKey);
          counts.add(orgId, -1);
          isOver();
        },
      };
    },
  };
}
