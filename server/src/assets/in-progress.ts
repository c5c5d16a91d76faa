// The PUTs that this process is receiving or inspecting, by the key of their object. One grant is for one file: a new PUT to it ends
// the one before. Of two processes that share a disk, each knows its own; there the first complete file counts.
import { AppError, busy } from '../ground/problems.js';

/** Per organization. A post has up to 35 slides, which clients send all at once. */
const MOST = 100;
const SECONDS = 5;

interface Upload {
  signal: AbortSignal;
  /** What remained of the PUT before it is gone. */
  isAlone: Promise<void>;
  end(): void;
}

export function uploadsInProgress() {
  const uploads = new Map<string, { ended: Promise<void>; abort: AbortController }>();
  const counts = new Map<string, number>();

  return {
    /** `onOlder` is called if there is a PUT to end. Throws 503 if the organization sends too many files at once. */
    begin(orgId: string, objectKey: string, onOlder: () => void): Upload {
      const older = uploads.get(objectKey);
      const count = counts.get(orgId) ?? 0;
      if (count >= MOST && !older)
        throw busy(
          `${MOST} files of your organization are being uploaded or inspected. Send this one when some of them are done.`,
          SECONDS,
        );
      counts.set(orgId, count + 1);
      const abort = new AbortController();
      let isOver = () => {};
      const ended = new Promise<void>((resolve) => {
        isOver = resolve;
      });
      const own = { ended, abort };
      uploads.set(objectKey, own);
      if (older) {
        older.abort.abort(superseded());
        onOlder();
      }
      return {
        signal: abort.signal,
        isAlone: older?.ended ?? Promise.resolve(),
        end() {
          if (uploads.get(objectKey) === own) uploads.delete(objectKey);
          const left = (counts.get(orgId) ?? 1) - 1;
          if (left > 0) counts.set(orgId, left);
          else counts.delete(orgId);
          isOver();
        },
      };
    },
  };
}

const superseded = () =>
  new AppError(
    'upload_superseded',
    'Another file was sent to the same URL before this one was done, and takes its place. Nothing of this one was kept.',
  );
