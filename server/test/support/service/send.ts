// One HTTP request of a test, with Node's own client: fetch took a fifteenth of the CPU time of test/api.
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body parsed, if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
}

export interface RequestOptions {
  key?: string | undefined;
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** A request that never ends is a failure of its own. On a busy machine, one that waits in a long line takes a minute. */
const HANG_MS = 300_000;

/** Idle connections end before the service ends them, so that no request meets a connection that is being closed. */
const agent = new Agent({ keepAlive: true, timeout: 5_000 });

/** Follows no redirect. */
export async function send(
  method: string,
  url: string,
  { key, body, raw, headers = {} }: RequestOptions,
): Promise<Answer> {
  const content = raw ?? (body === undefined ? null : JSON.stringify(body));
  const response = await exchange(method, url, content, {
    accept: '*/*',
    'user-agent': 'node',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    // Node adds it to some methods only.
    ...(content === null ? {} : { 'content-length': String(Buffer.byteLength(content)) }),
    ...headers,
  });
  const text = (await buffer(response)).toString();
  const received = headersOf(response);
  const isJson = /\bjson\b/.test(received.get('content-type') ?? '');
  return {
    status: response.statusCode as number,
    headers: received,
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  };
}

function exchange(
  method: string,
  url: string,
  content: string | Uint8Array | null,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(HANG_MS);
    const sent = request(url, { method, headers, agent, signal }, resolve);
    sent.on('error', reject);
    sent.end(content ?? undefined);
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2)
    headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  return headers;
}
