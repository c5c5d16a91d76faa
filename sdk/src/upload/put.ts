// Sends one file, or one part of it, to its signed URL: with its length, because a bucket demands that, and with progress.
import { errorOf, Unreachable } from '../client/errors.js';
import { builtin } from './runtime.js';
import type { Piece } from './source.js';

export interface Put {
  url: string;
  piece: Piece;
  headers: Record<string, string>;
  signal: AbortSignal | undefined;
  /** How many bytes of the piece have left. */
  onSent: (sent: number) => void;
}

/** A connection that takes nothing for this long is lost. */
const IDLE_MS = 60_000;

/** Throws an AirdateError for a refusal, or if the connection is lost. */
export async function put(sending: Put): Promise<void> {
  const { signal } = sending;
  signal?.throwIfAborted();
  let response: Response;
  try {
    response = await senderFor(sending.piece)(sending);
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new Unreachable('The connection to the file store was lost.', 'unreachable', { cause });
  }
  if (!response.ok) throw errorOf(response, await response.text(), undefined);
}

function senderFor(piece: Piece): (sending: Put) => Promise<Response> {
  const blob = typeof XMLHttpRequest === 'undefined' ? undefined : piece.blob;
  if (blob) return (sending) => sendWithXhr(sending, blob);
  return builtin('node:http') ? sendWithNode : sendWithFetch;
}

/** fetch reports no upload progress, so browsers use XMLHttpRequest. */
function sendWithXhr({ url, headers, signal, onSent }: Put, blob: Blob): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    signal?.addEventListener('abort', stop);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onloadend = () => {
      signal?.removeEventListener('abort', stop);
      const { status, responseText } = request;
      if (status === 0) return reject(new Error('There was no response.'));
      const retryAfter = request.getResponseHeader('retry-after');
      const answered = retryAfter === null ? {} : { 'retry-after': retryAfter };
      resolve(new Response(status === 204 ? null : responseText, { status, headers: answered }));
    };
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(blob);
  });
}

/** fetch sends a stream without its length, so programs send it by the module of Node. */
async function sendWithNode({ url, piece, headers, signal, onSent }: Put): Promise<Response> {
  const { request } = (
    url.startsWith('https:') ? builtin('node:https') : builtin('node:http')
  ) as typeof import('node:http');
  const outgoing = request(url, {
    method: 'PUT',
    headers: { ...headers, 'content-length': piece.size },
    ...(signal ? { signal } : {}),
  });
  outgoing.setTimeout(IDLE_MS, () => outgoing.destroy(new Error('The connection is idle.')));
  const answered = new Promise<Response>((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', async (incoming) => {
      try {
        let text = '';
        for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
        const { 'retry-after': retryAfter } = incoming.headers;
        const status = incoming.statusCode ?? 0;
        resolve(
          new Response(text || null, { status, headers: retryAfter ? { 'retry-after': retryAfter } : {} }),
        );
      } catch (error) {
        reject(error);
      }
    });
  });
  // A refusal may come before everything is sent; then there is no reader for the rest.
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const ended = answered.then(end, end);
  try {
    let sent = 0;
    for await (const chunk of piece.bytes()) {
      if (isOver) break;
      if (!outgoing.write(chunk)) await Promise.race([ended, drained(outgoing)]);
      sent += chunk.length;
      if (!isOver) onSent(sent);
    }
    if (!isOver && sent !== piece.size) throw new Error('The file has changed while it was being sent.');
    outgoing.end();
  } catch (error) {
    outgoing.destroy();
    throw error;
  }
  return answered;
}

const drained = (outgoing: import('node:http').ClientRequest): Promise<unknown> =>
  new Promise((resolve) => outgoing.once('drain', resolve));

/** Elsewhere: without progress. */
async function sendWithFetch({ url, piece, headers, signal, onSent }: Put): Promise<Response> {
  const { blob } = piece;
  if (!blob) throw new TypeError('There is no way to send this file from here.');
  const response = await fetch(url, { method: 'PUT', headers, body: blob, signal: signal ?? null });
  onSent(piece.size);
  return response;
}
