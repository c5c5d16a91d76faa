import { AppError } from '../../core/problems.js';

/** What an upload may take while it arrives. */
export interface UploadReservation {
  /** In bytes, until it is left. */
  readonly taken: number;
  /** A problem if there is no room for these bytes. */
  take(bytes: number): AppError | null;
  /** Called once the upload has arrived or failed. */
  leave(): void;
}

/** The product's hook for uploads. */
export interface UploadHooks {
  /**
   * One PUT, from before its first byte to the verdict on its file. `receive` stores the body and returns its version; it fails when
   * the signal aborts. `sent` is the length that the client says. Throws a problem if the file is not needed. Without a room, the
   * file needs no more than it was granted.
   */
  take(
    key: string,
    sent: number | null,
    receive: (signal: AbortSignal, room: UploadReservation | null) => Promise<string>,
  ): Promise<void>;
}

export const alreadyUploaded = () =>
  new AppError(
    'already_uploaded',
    'The file has already arrived; there is nothing left to do. To send another file, request a new upload URL.',
  );
