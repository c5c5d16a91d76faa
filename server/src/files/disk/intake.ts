import { AppError } from '../../ground/problems.js';

/** The product's hook for uploads. */
export interface Intake {
  /**
   * One PUT, from before its first byte to the verdict on its file. `receive` stores the body and returns its version; it fails when
   * the signal aborts. Throws a problem if the file is not needed.
   */
  take(key: string, receive: (signal: AbortSignal) => Promise<string>): Promise<void>;
}

export const alreadyUploaded = () =>
  new AppError(
    'already_uploaded',
    'The file has already arrived; there is nothing left to do. To send another file, request a new upload URL.',
  );
