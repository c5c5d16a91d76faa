// A running sandbox platform for tests, and a client that talks to it as the connector will.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { SandboxOptions } from '@airdate/sandbox/platform.js';
import { openSandbox, type Sandbox } from '@airdate/sandbox/sandbox.js';
import { until } from '../runner/until.js';
import { TestClock } from '../service/harness.js';
import { type Answer, type RequestOptions, send } from '../service/send.js';

export const CLIENT = { client_key: 'test-client-key', client_secret: 'test-client-secret' };
export const REDIRECT = 'http://localhost:3000/callback';
export const SCOPES = 'user.info.basic,video.publish,video.upload';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

export type Changes = Partial<
  Pick<SandboxOptions, 'strict' | 'control' | 'processingMs' | 'webhookUrl' | 'pullTimeoutMs'>
>;

export interface Tokens {
  access_token: string;
  refresh_token: string;
  open_id: string;
  expires_in: number;
  scope: string;
}

/** A sandbox on a port of its own, with a folder that survives restarts until `stop`. */
export class TestPlatform {
  url = '';
  readonly clock = new TestClock();
  private readonly dir = mkdtempSync(join(tmpdir(), 'airdate-sandbox-'));
  private server: Server | null = null;
  private sandbox: Sandbox | null = null;
  private readonly changes: Changes;

  constructor(changes: Changes = {}) {
    this.changes = changes;
  }

  /** The bytes of every file that it has received. */
  receivedFiles(): Buffer[] {
    const folder = join(this.dir, 'sandbox', 'media');
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  }

  async start(changes: Changes = {}): Promise<this> {
    const sandbox = await openSandbox({
      dataDir: join(this.dir, 'sandbox'),
      publicUrl: () => this.url,
      clientKey: CLIENT.client_key,
      clientSecret: CLIENT.client_secret,
      strict: false,
      control: true,
      processingMs: 0,
      webhookUrl: () => null,
      clock: this.clock,
      ...this.changes,
      ...changes,
    });
    this.sandbox = sandbox;
    this.server = createServer((request, response) => {
      // Otherwise the client would reuse a connection from before the restart.
      response.shouldKeepAlive = false;
      sandbox.handle(request, response);
    });
    this.url = await listen(this.server, this.url ? Number(new URL(this.url).port) : 0);
    return this;
  }

  /** Like a process that ends: connections are cut, then everything is closed. */
  async halt(): Promise<void> {
    const { server } = this;
    server?.closeAllConnections();
    if (server) await new Promise((resolve) => server.close(resolve));
    await this.sandbox?.close();
  }

  async restart(changes: Changes = {}): Promise<void> {
    await this.halt();
    await this.start(changes);
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.dir, { recursive: true, force: true });
  }

  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return send(method, this.url + path, options);
  }

  async control(path: string, body: object = {}) {
    const answer = await this.request('POST', `/__control/${path}`, { body });
    assert.equal(answer.status, 200, answer.text);
    return answer.json.data;
  }

  async publishes() {
    return (await this.request('GET', '/__control/publishes')).json.data;
  }

  form(path: string, fields: Record<string, string>): Promise<Answer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.request('POST', path, { raw: new URLSearchParams(fields).toString(), headers });
  }

  authorizePath(more: Record<string, string> = {}): string {
    const query = {
      client_key: CLIENT.client_key,
      scope: SCOPES,
      redirect_uri: REDIRECT,
      state: 'a state',
      response_type: 'code',
      code_challenge: createHash('sha256').update(VERIFIER).digest('hex'),
      code_challenge_method: 'S256',
      ...more,
    };
    return `/v2/auth/authorize/?${new URLSearchParams(query)}`;
  }

  /** The callback's query after the creator has consented. */
  async allow(username: string, more: Record<string, string> = {}): Promise<URLSearchParams> {
    const answer = await this.form(this.authorizePath(more), { decision: 'allow', username });
    assert.equal(answer.status, 302, answer.text);
    return new URL(answer.headers.get('location') as string).searchParams;
  }

  token(fields: Record<string, string>): Promise<Answer> {
    return this.form('/v2/oauth/token/', { ...CLIENT, ...fields });
  }

  exchange(code: string, more: Record<string, string> = {}): Promise<Answer> {
    const fields = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code_verifier: VERIFIER };
    return this.token({ ...fields, code, ...more });
  }

  /** The whole consent, up to tokens. */
  async connect(username: string, scope = SCOPES): Promise<Tokens> {
    const answer = await this.exchange((await this.allow(username, { scope })).get('code') as string);
    assert.ok(answer.json.access_token, answer.text);
    return answer.json;
  }

  api(path: string, { access_token }: Pick<Tokens, 'access_token'>, body: object = {}): Promise<Answer> {
    return this.request('POST', `/v2/post/publish/${path}/`, { key: access_token, body });
  }

  async status(tokens: Tokens, publishId: string) {
    return (await this.api('status/fetch', tokens, { publish_id: publishId })).json.data;
  }

  /** The status once it is no longer processing. */
  async settled(tokens: Tokens, publishId: string) {
    let found: Record<string, unknown> = {};
    await until(`${publishId} is settled`, async () => {
      found = await this.status(tokens, publishId);
      return !/^PROCESSING/.test(String(found?.status ?? 'PROCESSING'));
    });
    return found;
  }

  async initUpload(tokens: Tokens, size: number, more: object = {}) {
    const source_info = { source: 'FILE_UPLOAD', video_size: size, chunk_size: size, total_chunk_count: 1 };
    const body = {
      post_info: { title: 'A video', privacy_level: 'PUBLIC_TO_EVERYONE' },
      source_info,
      ...more,
    };
    const answer = await this.api('video/init', tokens, body);
    assert.equal(answer.json.error.code, 'ok', answer.text);
    return answer.json.data as { publish_id: string; upload_url: string };
  }

  put(url: string, bytes: Buffer, first: number, total: number, headers: Record<string, string> = {}) {
    const range = `bytes ${first}-${first + bytes.length - 1}/${total}`;
    return send('PUT', url, {
      raw: new Uint8Array(bytes),
      headers: { 'content-type': 'video/mp4', 'content-range': range, ...headers },
    });
  }

  /** A direct video in one chunk; its publish id. */
  async upload(tokens: Tokens, bytes: Buffer, more: object = {}): Promise<string> {
    const { publish_id, upload_url } = await this.initUpload(tokens, bytes.length, more);
    assert.equal((await this.put(upload_url, bytes, 0, bytes.length)).status, 201);
    return publish_id;
  }

  photos(tokens: Tokens, urls: string[], more: { post_mode?: string; post_info?: object } = {}) {
    return this.api('content/init', tokens, {
      media_type: 'PHOTO',
      post_mode: 'DIRECT_POST',
      post_info: { title: 'Photos', privacy_level: 'PUBLIC_TO_EVERYONE' },
      source_info: { source: 'PULL_FROM_URL', photo_images: urls, photo_cover_index: 0 },
      ...more,
    });
  }
}

export const refused = ({ status, json }: Answer) => [status, json?.error?.code];

/** A sandbox for all tests of a describe block. Use it inside the tests only. */
export function usePlatform(changes: Changes = {}): TestPlatform {
  const platform = new TestPlatform(changes);
  before(() => platform.start());
  after(() => platform.stop());
  return platform;
}

export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A third-party server: serves files to pull, or receives webhooks. */
export class OtherServer {
  url = '';
  /** In the order of arrival, with their bodies. */
  readonly seen: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  private readonly server: Server;

  constructor(answer: (path: string, response: ServerResponse) => void) {
    this.server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const path = request.url ?? '';
      this.seen.push({ path, headers: request.headers, body: Buffer.concat(parts).toString() });
      answer(path, response);
    });
  }

  async start(port = 0): Promise<void> {
    this.url = await listen(this.server, port);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }
}

export function useOther(answer: (path: string, response: ServerResponse) => void): OtherServer {
  const other = new OtherServer(answer);
  before(() => other.start());
  after(() => other.stop());
  return other;
}

/** A port that no server listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listen(server));
  await new Promise((resolve) => server.close(resolve));
  return Number(port);
}
