// The object store port: files by key, whole or not there at all. An object never changes once it exists; what a client
// uploads arrives under a key of its own and is moved into place when it has been looked at (see assets/confirm.ts).
import type { Readable } from 'node:stream';

export interface StoredObject {
  key: string;
  size: number;
  /** When it was stored, by the store's own clock. */
  storedAt: number;
  /** Tells these very bytes from others that had the same key. */
  version: string;
}

/** What a signed upload address allows: one PUT of one file. */
export interface UploadGrant {
  key: string;
  contentType: string;
  /** Announced bytes; the address is bound to them. Null: any length up to `maxLength`. */
  length: number | null;
  maxLength: number;
  expiresAt: number;
}

export interface ObjectStore {
  readonly kind: 'disk' | 's3';

  /** Fails with a ConfigError if it cannot work as it is configured, with another error if it does not answer just now. */
  check(): Promise<void>;

  /** An address to PUT the file to. Bound to method, key, content type, expiry, and the length where announced. */
  signUpload(grant: UploadGrant): string;

  /** An address to GET the object from, also in ranges. Signing asks nobody. */
  signDownload(key: string, expiresAt: number): string;

  find(key: string): Promise<StoredObject | null>;

  /** The bytes from `start` to before `end`, or to the last. Fails if the object, or this version of it, is not there. */
  read(key: string, range?: { start: number; end?: number; version?: string }): Promise<Readable>;

  /** Stores a small object whole. One that exists already stays as it is. */
  write(key: string, bytes: Buffer): Promise<void>;

  /** The whole of a small object, or null if there is none. */
  load(key: string): Promise<Buffer | null>;

  /** Writes a small object in the place of what may lie there. A reader gets all of the old one or all of the new one. */
  replace(key: string, bytes: Buffer): Promise<void>;

  /**
   * Moves an object to another key, if it still is the one that was found, and if no other object lies there. Doing it
   * again is no error, and a crash leaves the object at one of the two keys, or at both.
   */
  move(from: StoredObject, to: string): Promise<void>;

  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;

  /** Every object, in any order. */
  list(): AsyncIterable<StoredObject>;

  /** Removes what broken uploads left behind before this moment; a store that keeps none does nothing. */
  removeBroken(before: number): Promise<void>;
}

/** Where our own server answers signed addresses. */
export const STORAGE_PATH = '/storage/';

/** A key names its type by its ending, so that a store needs no notes beside its objects. */
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

/** Keys are made by us. Anything else is a bug, and must not become a path. */
export function checkKey(key: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(key) && key.length <= 512)
    return key;
  throw new Error(`not a key of ours: ${JSON.stringify(key.slice(0, 100))}`);
}
