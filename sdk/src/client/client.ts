// One request of the API: who asks, how often, and what its answer means. Knows no resource.
import { type AirdateError, errorOf, Unreachable } from './errors.js';
import { noteResponse, shareResponse } from './response.js';
import {
  isTransient,
  mayHaveTakenEffect,
  retryDelayMs,
  settlesEarlierTries,
  sleep,
  unknownOutcome,
} from './retry.js';
import type { Input, Method, Output, PathOf } from './typed.js';

export interface AirdateOptions {
  /** Where the service answers, for example http://localhost:3000. Default: the variable `AIRDATE_URL`. */
  url?: string | undefined;
  /** Default: the variable `AIRDATE_API_KEY`. Without a key, the browser's session is who asks. */
  apiKey?: string | undefined;
  /** For each try of a request, in milliseconds; 0 means none. Default: 60,000. */
  timeout?: number | undefined;
  /** How often a request is repeated that was not answered, or is to be sent later. Default: 2. */
  maxRetries?: number | undefined;
  /** Another fetch than the built-in one. Uploads do not use it, except where there is no other way to send a file. */
  fetch?: typeof fetch | undefined;
  /** Sent with every request. */
  headers?: Record<string, string> | undefined;
}

/** For one call. */
export interface CallOptions extends Pick<AirdateOptions, 'timeout' | 'maxRetries' | 'headers'> {
  signal?: AbortSignal | undefined;
  /** Made for you if the request may be repeated. Give one to repeat a call yourself, for example after a crash. */
  idempotencyKey?: string | undefined;
  /** An ETag of the post: the call is refused if the post has changed since. */
  ifMatch?: string | undefined;
}

/** What an operation takes; may be left out if it needs nothing. */
export type Arguments<M extends Method, P extends PathOf<M>> =
  Record<string, never> extends Input<M, P>
    ? [input?: Input<M, P> & CallOptions]
    : [input: Input<M, P> & CallOptions];

interface Sent extends CallOptions {
  query?: object | undefined;
  body?: unknown;
  accept?: string | undefined;
}

/** A response whose body is read: by the time it is here, nothing of it can be lost any more. */
interface Answer {
  response: Response;
  result?: unknown;
}

/** How long an answer is waited for that another request with the same key will get, if no timeout says it. */
const IN_USE_MS = 60_000;

const PUBLISH = /^\/api\/v1\/posts\/[^/]+\/publish$/;

export class Client {
  readonly url: string;
  readonly #options: AirdateOptions;
  readonly #key: string | undefined;

  constructor(options: AirdateOptions = {}) {
    const url = options.url ?? variable('AIRDATE_URL');
    if (!url) throw new TypeError('The URL of the service is missing: pass `url`, or set AIRDATE_URL.');
    this.url = checked(url.replace(/\/+$/, ''));
    this.#key = options.apiKey ?? variable('AIRDATE_API_KEY');
    this.#options = options;
  }

  /**
   * Any operation of the API, typed by its path. Returns the whole body of the response; undefined if it has none.
   *
   * @example
   * ```ts
   * const { data } = await airdate.request('GET', '/api/v1/posts/{id}', { path: { id: postId } });
   * console.log(data.title);
   * ```
   */
  async request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[input]: Arguments<M, P>
  ): Promise<Output<M, P>> {
    const { path: names, ...sent } = (input ?? {}) as Sent & { path?: Record<string, string> };
    const { response, result } = await this.#send(method, filled(path, names), sent);
    noteResponse(result, response);
    return result as Output<M, P>;
  }

  /**
   * The same for responses of the form `{"data": …}`: what is in `data`.
   *
   * @example
   * ```ts
   * const me = await airdate.data('GET', '/api/v1/me');
   * console.log(me.organization.name);
   * ```
   */
  async data<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...input: Arguments<M, P>
  ): Promise<Output<M, P> extends { data: infer Data } ? Data : undefined> {
    const result = (await this.request(method, path, ...input)) as { data: never };
    shareResponse(result, result.data);
    return result.data;
  }

  /**
   * A response whose body the caller reads, such as an export or a stream of events. It is repeated like any other request until
   * the body begins.
   *
   * @example
   * ```ts
   * const response = await airdate.stream('/api/v1/posts/export', { query: { format: 'csv' } });
   * console.log(await response.text());
   * ```
   */
  async stream(path: PathOf<'GET'> | (string & {}), sent: Omit<Sent, 'body'> = {}): Promise<Response> {
    return (await this.#send('GET', path, { ...sent, timeout: sent.timeout ?? 0 }, true)).response;
  }

  async #send(method: Method, path: string, sent: Sent, isStream = false): Promise<Answer> {
    const {
      maxRetries = this.#options.maxRetries ?? 2,
      timeout = this.#options.timeout ?? 60_000,
      signal,
    } = sent;
    const isWrite = method === 'POST' || method === 'PATCH';
    const idempotencyKey = sent.idempotencyKey ?? (isWrite && maxRetries > 0 ? newKey() : undefined);
    const init = { method, headers: this.#headers(sent, idempotencyKey), body: bodyOf(sent.body) };
    const isPublish = method === 'POST' && PUBLISH.test(path);
    const address = this.url + path + search(sent.query);
    const inUseUntil = Date.now() + (maxRetries > 0 ? timeout || IN_USE_MS : -1);
    let mayHaveHappened = false;
    for (let attempt = 1, tries = 0; ; attempt++) {
      let error: AirdateError;
      try {
        const response = await this.#fetch(address, init, timeout, signal);
        if (isStream && response.ok) return { response };
        const text = await response.text();
        // What is not JSON does not come from the service: its answer is lost.
        if (response.ok) return { response, result: text === '' ? undefined : JSON.parse(text) };
        // The first DELETE took effect, and only its response was lost.
        if (mayHaveHappened && method === 'DELETE' && response.status === 404) return { response };
        error = errorOf(response, text, idempotencyKey);
        if (error.status === 401 && this.#hasNoKey) error.message += NO_KEY;
      } catch (cause) {
        if (signal?.aborted) throw signal.reason;
        error = new Unreachable(`The service at ${this.url} ${whyLost(cause, timeout)}`, 'unreachable', {
          idempotencyKey,
          cause,
        });
      }
      mayHaveHappened ||= mayHaveTakenEffect(error);
      // Another request with this key is under way, most often our own whose connection was lost: its answer will come.
      const isInUse = error.code === 'idempotency_key_in_use';
      const isOver = isInUse ? Date.now() > inUseUntil : ++tries > maxRetries;
      const pause = isOver || !isTransient(error) ? undefined : retryDelayMs(attempt, error);
      if (pause === undefined || (isPublish && error.status === 504)) {
        throw isPublish && mayHaveHappened && !settlesEarlierTries(error) ? unknownOutcome(error) : error;
      }
      await sleep(pause, signal);
    }
  }

  /** On a page, the session is who asks. */
  get #hasNoKey(): boolean {
    return this.#key === undefined && !('document' in globalThis);
  }

  #fetch(url: string, init: RequestInit, timeout: number, given: AbortSignal | undefined): Promise<Response> {
    const signals = [...(given ? [given] : []), ...(timeout > 0 ? [AbortSignal.timeout(timeout)] : [])];
    const send = this.#options.fetch ?? fetch;
    // A redirect would turn a POST into a GET.
    return send(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
  }

  #headers(
    { headers, ifMatch, body, accept }: Sent,
    idempotencyKey: string | undefined,
  ): Record<string, string> {
    return {
      accept: accept ?? 'application/json',
      // With a session, what changes something must name the page that it comes from.
      ...(this.#key === undefined ? { 'x-airdate': 'dashboard' } : { authorization: `Bearer ${this.#key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...this.#options.headers,
      ...headers,
    };
  }
}

const NO_KEY = ' Pass `apiKey`, or set AIRDATE_API_KEY.';

/** `localhost:3000` is a URL too, of the scheme `localhost`, and would only fail as if nothing answered. */
function checked(url: string): string {
  if (!/^https?:\/\/./i.test(url))
    throw new TypeError(`The URL of the service must begin with http:// or https://, not ${url}.`);
  if (/\/api\/v1$/.test(url))
    throw new TypeError('Leave /api/v1 out of the URL of the service: every request adds it.');
  return url;
}

function whyLost(cause: unknown, timeout: number): string {
  const { name, cause: reason } = cause as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return `did not answer within ${timeout} ms.`;
  if (name === 'SyntaxError') return 'sent something else than JSON: check the URL.';
  return `could not be reached, or the connection was lost${reason?.code ? ` (${reason.code})` : ''}.`;
}

const bodyOf = (body: unknown): string | null => (body === undefined ? null : JSON.stringify(body));

/** An id that is empty or only dots would lead to another path. */
const filled = (path: string, names: Record<string, string> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = names[name];
    if (!value || /^\.+$/.test(value))
      throw new TypeError(`\`${name}\` must be an id, but is ${JSON.stringify(value)}.`);
    return encodeURIComponent(value);
  });

function search(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function variable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    // Deno asks for permission, and may not get it.
    return undefined;
  }
}

/** `crypto.randomUUID` is missing on pages that are not secure. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
