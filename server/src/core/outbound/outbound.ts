// Requests to addresses that customers give us: webhooks, and files to import. They reach the public internet and what the
// operator allows, nothing else.
//
// A name is resolved here, all of its addresses are checked, and the connection is made to one of those: a name server that
// gives another address later changes nothing. Node resolves no literal addresses, so these are checked first. Redirects are
// responses like any other. There is no connection to reuse, so each request is checked.
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import { isPublicAddress } from './addresses.js';
import { type AllowList, createAllowList, plainHost } from './allow-list.js';
import { type Resolve, resolveAsSystem, resolveName } from './resolve.js';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** Ends the request, and the body of its response. */
  signal: AbortSignal;
  /** The time limit of the whole call: resolving the name, connecting, the response and its body. */
  timeoutMs: number;
}

export interface OutboundResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Must be read or destroyed. */
  body: Readable;
}

export interface Outbound {
  /** Why no request is ever sent to this URL; null if one may be. Completes the sentence "The URL …". */
  refusal(url: string): string | null;
  /** Resolves with the headers of the response; fails with an OutboundError. */
  open(url: string, request: OutboundRequest): Promise<OutboundResponse>;
}

/** refused: not sent, and never will be. timeout, unreachable: no response came. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: 'refused' | 'timeout' | 'unreachable';
  constructor(code: OutboundError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** `resolve` is replaced by tests. */
export function createOutbound(allowed: readonly string[], resolve: Resolve = resolveName): Outbound {
  const allow = createAllowList(allowed);
  return {
    refusal: (url) => refusalOf(url, allow),
    open: (url, request) => open(url, request, allow, resolve),
  };
}

/** A developer who tries a receiver on the same machine meets this first. */
const UNLESS = ' unless the operator allows it (WEBHOOK_ALLOW)';

function refusalOf(text: string, allow: AllowList): string | null {
  if (!URL.canParse(text)) return 'must be a full URL that begins with https://';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  if (isAddress ? allow.hasAddress(host) : allow.hasHost(host)) return null;
  if (url.protocol !== 'https:') return `must begin with https://${UNLESS}`;
  if (isAddress && !isPublicAddress(host)) return `must not name a private or reserved address${UNLESS}`;
  if (!isAddress && /(^|\.)localhost$/.test(host)) return `must not name this machine${UNLESS}`;
  return null;
}

/** The host as WHATWG writes it: 0x7f.1 and 2130706433 are 127.0.0.1 by now. */
const hostOf = (url: URL) => plainHost(url.hostname.replace(/^\[|\]$/g, ''));

let context: SecureContext | undefined;

/** Node would read the root certificates again for each request, which takes longer than all else that is done for one. */
function sharedContext(): SecureContext {
  context ??= createSecureContext();
  return context;
}

async function open(
  text: string,
  { method, headers, body, signal, timeoutMs }: OutboundRequest,
  allow: AllowList,
  resolve: Resolve,
): Promise<OutboundResponse> {
  const refusal = refusalOf(text, allow);
  if (refusal !== null) throw new OutboundError('refused', `The URL ${refusal}.`);
  const url = new URL(text);
  return new Promise((done, fail) => {
    const ending = new AbortController();
    const stop = () => ending.abort();
    let isLate = false;
    // Not AbortSignal.timeout: combined with another signal it may be collected before it fires (Node 20).
    const timer = setTimeout(
      () =>
        afterReading(() => {
          isLate = true;
          stop();
        }),
      timeoutMs,
    );
    const release = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
      agent: false,
      ...(url.protocol === 'https:' ? { secureContext: sharedContext() } : {}),
      signal: ending.signal,
      lookup: checkedLookup(allow, resolve, ending.signal),
    });
    request.on('error', (error) => fail(faultOf(error, isLate)));
    request.on('close', release);
    request.on('response', (response) => {
      // What ends the body early is seen by its reader.
      response.on('error', () => {});
      done({ status: response.statusCode ?? 0, headers: response.headers, body: response });
    });
    request.end(body);
  });
}

/**
 * Acts after the event loop has read what has arrived by now, to the end of the stream. A process that was paused or busy beyond a
 * deadline finds the expired timer first, and what the answer says is worth more than that it is late.
 */
function afterReading(act: () => void, rounds = 4): void {
  setImmediate(() => (rounds > 1 ? afterReading(act, rounds - 1) : act()));
}

/** Called by Node for each connection to a name, and never for an address. */
function checkedLookup(allow: AllowList, resolve: Resolve, signal: AbortSignal): LookupFunction {
  return (name, options, callback) => {
    const isAllowed = allow.hasHost(name);
    const resolved = (isAllowed ? resolveAsSystem : resolve)(plainHost(name), signal);
    resolved
      .then((addresses) => {
        const mayReach = (address: string) =>
          isAllowed || isPublicAddress(address) || allow.hasAddress(address);
        // One private address among public ones is a trap, or a mistake; both are refused.
        if (addresses.length === 0 || !addresses.every(mayReach))
          throw new OutboundError('refused', 'The host has a private or reserved address, or none.');
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found as [{ address: string; family: number }];
        if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, ''));
  };
}

function faultOf(error: Error, isLate: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  if (isLate) return new OutboundError('timeout', 'The host did not answer in time.', error);
  const { code } = error as NodeJS.ErrnoException;
  return new OutboundError('unreachable', `The host could not be reached (${code ?? error.name}).`, error);
}

/** The start of a body, as text; the rest is not read. */
export async function readStart(body: Readable, bytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= bytes) break;
    }
  } catch {
    // A body that breaks off: what has arrived is all there is.
  }
  body.destroy();
  return Buffer.concat(parts).subarray(0, bytes).toString();
}
