// How a store takes a large file in parts. Each part is whole or absent, and may be sent again. Only when they are joined does
// the object exist at its key: nothing can be sent to it afterwards.

/** A file that arrives in parts. */
export interface PartUpload {
  /** Of the object that the parts become. */
  key: string;
  /** What the store itself calls the upload; empty on disk. */
  id: string;
}

export interface PartGrant {
  number: number;
  length: number;
  expiresAt: number;
}

export interface PartStore {
  begin(key: string): Promise<PartUpload>;

  /** The lengths of the parts that have arrived, by number; null if the store does not know the upload (any more). */
  arrived(upload: PartUpload): Promise<ReadonlyMap<number, number> | null>;

  /**
   * Makes the object of all parts, whose lengths are given in order, and removes them. Throws if a part is missing or has another
   * length. Repeating it is no error, and a crash leaves the parts, or the object, or both.
   */
  join(upload: PartUpload, lengths: readonly number[]): Promise<void>;

  /** Removes whatever parts there are for this key. */
  abandon(key: string): Promise<void>;

  /** The keys for which there are parts, some of them several times. */
  unfinished(): AsyncIterable<{ key: string; storedAt: number }>;
}

const FOLDER = 'parts/';

export const partKey = (key: string, number: number): string => `${FOLDER}${key}/${number}`;

/** The key of the object that this is a part of; null if it is no part. */
export function keyOfPart(key: string): string | null {
  return key.startsWith(FOLDER) ? key.slice(FOLDER.length, key.lastIndexOf('/')) : null;
}
