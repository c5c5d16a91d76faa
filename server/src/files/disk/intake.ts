import { AppError } from '../../ground/problems.js';

/** What the product wants to know of uploads. Both fail with a problem if the file is not wanted. */
export interface Intake {
  /** Before the first byte is read. */
  admit(key: string): Promise<void>;
  /** When the whole file is there, in this version. */
  arrived(key: string, version: string): Promise<void>;
}

export const alreadyUploaded = () =>
  new AppError(
    'already_uploaded',
    'The file has arrived already; there is nothing left to do. To send another file ask for a new upload address.',
  );
