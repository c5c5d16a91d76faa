// What a file is sent with, whole or in parts.
import type { Client } from '../client/client.js';
import type { BodyOf } from '../client/typed.js';
import type { Source } from './source.js';

export interface UploadOptions {
  /** Default: that of the path or the `File`. */
  filename?: string | undefined;
  /** Default: that of the `Blob`, or what the name's extension says. */
  contentType?: BodyOf<'requestUpload'>['content_type'] | undefined;
  /** Of a stream, in bytes. Needed if it has more than 64 MB. */
  contentLength?: number | undefined;
  /** Of a video: replaces the one that is there, once this one has arrived. */
  replace?: boolean | undefined;
  /** Of a video: whether it is sent in parts. Default: if it has more than 64 MB. */
  parts?: boolean | undefined;
  /** Continues the upload in parts of this id, which another process began with the same file. */
  resume?: string | undefined;
  /** Called with the id for `resume`, when an upload in parts begins. */
  onUploadId?: ((uploadId: string) => void) | undefined;
  onProgress?: ((progress: { sent: number; total: number }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Sending {
  client: Client;
  postId: string;
  source: Source;
  options: UploadOptions;
}

/** Inspecting a long video takes a while. */
export const INSPECTION_MS = 150_000;
