// A client that never retries. It knows one or more addresses of the service, as a name with several addresses has: if one refuses the
// connection, it connects to the next; a request that was sent is never sent again.
import { readFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { Agent, request } from 'node:https';

const TIMEOUT_MS = 40_000;

export class Client {
  #agent;
  #tally;
  /** Ports of the proxies, the preferred one first. */
  fronts = [];
  key = null;

  constructor(tally, ca) {
    this.#tally = tally;
    this.#agent = new Agent({ ca: readFileSync(ca), keepAlive: true, maxSockets: 64 });
  }

  /**
   * Sends it, and counts it. Returns { status, json } or null if it failed.
   * @param {string} operation name for the table
   */
  async call(operation, method, target, { body, bytes, headers = {}, expect = [200, 201, 204] } = {}) {
    const record = this.#tally.start(operation);
    const sent = body === undefined ? bytes : Buffer.from(JSON.stringify(body));
    const all = {
      ...(this.key && target.startsWith('/') ? { authorization: `Bearer ${this.key}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(sent === undefined ? {} : { 'content-length': sent.length }),
      ...headers,
    };
    try {
      // To a bucket, no proxy is on the way.
      const answer = target.startsWith('http:')
        ? await exchange((onAnswer) => requestPlain(target, { method, agent: false }, onAnswer), all, sent)
        : await this.#send(method, pathOf(target), all, sent);
      const isExpected = expect.includes(answer.status);
      this.#tally.finish(record, isExpected ? null : failureOf(answer));
      return isExpected ? answer : null;
    } catch (error) {
      this.#tally.finish(record, { kind: error.code ?? error.message, isPolite: false });
      return null;
    }
  }

  async #send(method, path, headers, body) {
    for (const [i, port] of this.fronts.entries())
      try {
        return await this.#sendTo(port, method, path, headers, body);
      } catch (error) {
        if (error.code !== 'ECONNREFUSED' || i === this.fronts.length - 1) throw error;
      }
  }

  #sendTo(port, method, path, headers, body) {
    const options = { host: '127.0.0.1', servername: 'localhost', port, method, path, agent: this.#agent };
    const all = { host: `localhost:${port}`, ...headers };
    return exchange((onAnswer) => request(options, onAnswer), all, body);
  }

  /** An open response, for streams; the caller reads it. */
  open(port, path, headers) {
    return new Promise((resolve, reject) => {
      const all = { ...headers, host: `localhost:${port}`, authorization: `Bearer ${this.key}` };
      const options = {
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path,
        headers: all,
        agent: this.#agent,
      };
      request(options, resolve).on('error', reject).end();
    });
  }

  close() {
    this.#agent.destroy();
  }
}

/** Sends one request and reads its whole answer. */
function exchange(open, headers, body) {
  return new Promise((resolve, reject) => {
    const sending = open((response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(readAnswer(response, Buffer.concat(chunks).toString())));
    });
    for (const [name, value] of Object.entries(headers)) sending.setHeader(name, value);
    sending.setTimeout(TIMEOUT_MS, () => sending.destroy(new Error('no answer in 40 s')));
    sending.on('error', reject);
    sending.end(body);
  });
}

/** Signed URLs begin with PUBLIC_URL; the trial sends them through whichever proxy it tries. */
const pathOf = (target) => {
  if (!target.startsWith('https:')) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
};

function readAnswer({ statusCode, headers }, text) {
  const isJson = /json/.test(headers['content-type'] ?? '');
  return { status: statusCode, headers, text, json: isJson && text !== '' ? JSON.parse(text) : null };
}

/** Polite: the problem that Airdate promises while it cannot help, with the time to try again. */
function failureOf({ status, headers, json }) {
  const isProblem = headers['content-type']?.startsWith('application/problem+json') ?? false;
  const retryAfter = headers['retry-after'];
  const isPolite = status === 503 && isProblem && retryAfter !== undefined;
  return {
    kind: `${status} ${json?.code ?? ''}`.trim() + (status === 503 && !isPolite ? ' (impolite)' : ''),
    isPolite,
  };
}
