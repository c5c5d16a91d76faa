import { AppError } from '../../ground/problems.js';

/** The product's hooks for uploads. Both throw a problem if the file is not needed. */
export interface Intake {
  /** Before the first byte is read. */
  admit(key: string): Promise<void>;
  /** After the whole file has arrived, in this version. */
  arrived(key: string, version: string): Promise<void>;
}

export const alreadyUploaded = () =>
  new AppError(
    'already_uploaded',
    'The file has already arrived; there is nothing left to do. To send another file, request a new upload URL.',
  );
