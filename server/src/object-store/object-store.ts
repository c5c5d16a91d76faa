// The object store port: files by key, complete or absent. An object never changes once it exists; a client's upload
// arrives under a key of its own and is moved into place after inspection (see assets/confirm.ts).
import type { Readable } from 'node:stream';
import { HOUR_MS } from '../core/durations.js';

export interface StoredObject {
  key: string;
  size: number;
  /** When it was stored, by the store's own clock. */
  storedAt: number;
  /** Distinguishes these bytes from others stored under the same key. */
  version: string;
}

/** What a signed upload URL allows: one PUT of one file. */
export interface SignedUpload {
  key: string;
  contentType: string;
  /** Announced bytes; the URL is bound to them. Null: any length up to `maxLength`. */
  length: number | null;
  maxLength: number;
  expiresAt: number;
}

/** A file that arrives in parts. */
export interface PartUpload {
  /** The key of the object that the parts become. */
  key: string;
  /** What the store itself calls the upload; empty on disk. */
  id: string;
}

export interface PartGrant {
  number: number;
  length: number;
  expiresAt: number;
}

/**
 * How a store takes a large file in parts. Each part is whole or absent, and may be sent again. Only when they are joined does the
 * object exist at its key: nothing can be sent to it afterwards.
 */
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

export interface ObjectStore {
  readonly kind: 'disk' | 's3';

  /** Whether the disk of this machine that it is on is full; never if the files are in a bucket. */
  isDiskFull(): Promise<boolean>;

  /** Large files, part by part. */
  readonly parts: PartStore;

  /** Throws a ConfigError if the configuration cannot work, and another error if the store does not answer. */
  check(): Promise<void>;

  /** A URL to PUT the file to. Bound to method, key, content type, expiry, and the length where announced. */
  signUpload(grant: SignedUpload): string;

  /** A URL to PUT one part to. Bound to method, part, length and expiry. A wrong Content-MD5 is refused. */
  signPart(upload: PartUpload, part: PartGrant): string;

  /** A URL to GET the object from, with support for ranges. Signing needs no request. */
  signDownload(key: string, expiresAt: number): string;

  find(key: string): Promise<StoredObject | null>;

  /** The bytes from `start` up to, not including, `end`. Throws if the object, or this version of it, does not exist. */
  read(key: string, range?: { start: number; end?: number; version?: string }): Promise<Readable>;

  /** Stores a stream under the key of an upload. Leaves nothing behind if the stream fails. */
  receive(key: string, body: Readable): Promise<unknown>;

  /** Stores a stream durably under its final key. Leaves nothing behind if it fails, and an existing object as it is. */
  storeDurably(key: string, body: Readable): Promise<void>;

  /** Stores a small object. An existing one is left unchanged. */
  write(key: string, bytes: Buffer): Promise<void>;

  /** All bytes of a small object, or null if there is none. */
  load(key: string): Promise<Buffer | null>;

  /** Writes or replaces a small object. A reader gets all of the old one or all of the new one. */
  replace(key: string, bytes: Buffer): Promise<void>;

  /**
   * Moves an object to another key, if it is still the one that was found and no other object is there. Repeating it is no
   * error, and a crash leaves the object at one of the two keys, or at both.
   */
  move(from: StoredObject, to: string): Promise<void>;

  /**
   * Gives an object a second key, whose bytes stay when the first is removed. An existing object there is left unchanged. On disk
   * both keys have the same `storedAt` and version.
   */
  copy(from: string, to: string): Promise<void>;

  /** Removing a missing object is no error. */
  remove(key: string): Promise<void>;

  /** Every object, in any order; parts are none. */
  list(): AsyncIterable<StoredObject>;

  /** Removes temporary files that broken uploads left behind before this time; does nothing in a store that has none. */
  removeTemporaryFiles(before: number): Promise<void>;
}

const FIVE_MINUTES_MS = 300_000;

/** When a URL shown in lists expires. It changes only every five minutes, so that browsers can cache the file. */
export const roundedExpiry = (now: number): number =>
  Math.floor((now + HOUR_MS) / FIVE_MINUTES_MS) * FIVE_MINUTES_MS;

/** Where our own server serves signed URLs. */
export const STORAGE_PATH = '/storage/';

/** A key's extension tells its type, so that a store needs no metadata. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

export const contentTypeOf = (key: string): string =>
  CONTENT_TYPES[key.slice(key.lastIndexOf('.') + 1)] ?? 'application/octet-stream';

/** We create all keys. Anything else is a bug, and must not become a path. */
export function validateObjectKey(key: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(key) && key.length <= 512)
    return key;
  throw new Error(`not a key of ours: ${JSON.stringify(key.slice(0, 100))}`);
}
