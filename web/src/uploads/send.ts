// Sends the bytes of one file, and reads them back. XMLHttpRequest, because fetch does not report upload progress.
import type { Asset, Problem } from '@airdate/sdk/core';
import { forPeople } from '../text/problem-texts.js';

export type SendFailure = 'unreachable' | 'address-ended' | 'refused' | 'cancelled';

export class SendError extends Error {
  readonly failure: SendFailure;

  constructor(failure: SendFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

interface Sending {
  url: string;
  file: Blob;
  /** Of a whole file; a part has none. */
  contentType?: string;
  /** In Base64. */
  md5?: string;
  signal: AbortSignal;
  onProgress: (sent: number) => void;
}

export function send({ url, file, contentType, md5, signal, onProgress }: Sending): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cancelled());
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    const settle = (error?: SendError) => {
      signal.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve();
    };
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => settle(errorFor(request.status, request.responseText)));
    request.addEventListener('error', () =>
      settle(new SendError('unreachable', 'The connection dropped. Check it and try again.')),
    );
    request.addEventListener('abort', () => settle(cancelled()));
    signal.addEventListener('abort', stop);
    request.open('PUT', url);
    if (contentType !== undefined) request.setRequestHeader('content-type', contentType);
    if (md5 !== undefined) request.setRequestHeader('content-md5', md5);
    request.send(file);
  });
}

export const cancelled = () => new SendError('cancelled', 'Cancelled.');

function errorFor(status: number, body: string): SendError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const detail = detailOf(body);
  // The URL has expired, or was used before.
  if (status === 403 || status === 409)
    return new SendError('address-ended', detail ?? 'The upload link has expired. Try again.');
  if (status === 408 || status === 429 || status >= 500)
    return new SendError('unreachable', detail ?? 'The file store isn’t responding. Try again in a moment.');
  return new SendError('refused', detail ?? `The file was rejected (HTTP ${status}).`);
}

function detailOf(body: string): string | undefined {
  try {
    const problem = JSON.parse(body) as Problem;
    return typeof problem.code === 'string' ? forPeople(problem).detail : undefined;
  } catch {
    return undefined;
  }
}

/** On a slower connection there is no file. */
const READ_TIMEOUT_MS = 5_000;

/** A file that was uploaded before; undefined if it cannot be read. */
export async function readBack({ url, filename, content_type }: Asset): Promise<File | undefined> {
  try {
    // Not what the picture on the screen has left in the cache: a bucket answers that without the headers for a script.
    const answer = await fetch(url, {
      cache: 'no-store',
      signal: AbortSignal.timeout(READ_TIMEOUT_MS),
    });
    return answer.ok ? new File([await answer.blob()], filename, { type: content_type }) : undefined;
  } catch {
    return undefined;
  }
}
