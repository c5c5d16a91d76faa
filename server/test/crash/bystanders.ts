// Who stands beside the two workers: the way by which the platform fetches pictures, which a test can shut, and a client
// that asks for a post to be published now and asks again, with the same key, until it is told what became of it.

import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import type { App } from '../../src/api/app.js';
import type { Server as Api } from '../../src/api/server.js';
import { buildServer } from '../../src/http/server.js';
import { type Organization, send } from '../harness.js';
import { listen } from '../sandbox/platform.js';

export class Gate {
  readonly url: string;
  isShut = false;
  private readonly server: Server;
  private waiting: (() => void)[] = [];

  private constructor(url: string, server: Server) {
    this.url = url;
    this.server = server;
  }

  /** Hands everything on to `target`; only pictures are kept waiting while it is shut. */
  static async before(target: string): Promise<Gate> {
    let gate: Gate | undefined;
    const server = createServer(async (request, response) => {
      const path = request.url ?? '';
      if (gate?.isShut && path.startsWith('/media/'))
        await new Promise<void>((pass) => gate?.waiting.push(pass));
      await text(request);
      try {
        const answer = await fetch(target + path, { redirect: 'manual' });
        const type = answer.headers.get('content-type');
        response.writeHead(answer.status, type === null ? {} : { 'content-type': type });
        response.end(Buffer.from(await answer.arrayBuffer()));
      } catch {
        response.destroy();
      }
    });
    gate = new Gate(await listen(server), server);
    return gate;
  }

  shut(): void {
    this.isShut = true;
  }

  open(): void {
    this.isShut = false;
    for (const pass of this.waiting.splice(0)) pass();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

interface Told {
  status: number;
  code: string | undefined;
  publishId: string | undefined;
  /** Whether the service called the outcome unknown when it said so. An acceptance may come later. */
  wasUnknown: boolean;
}

export class Client {
  private readonly org: Organization;
  private readonly path: string;
  private readonly body: Record<string, unknown>;
  private readonly told: Told[] = [];
  /** Problems that may be told whatever became of the post. */
  private readonly fair = new Set([
    'idempotency_key_in_use',
    'reconnect_required',
    'platform_unavailable',
    'unavailable',
  ]);
  private key: string;
  private server: Api | null = null;

  constructor(org: Organization, postId: string, accountId: string) {
    this.org = org;
    this.path = `/api/v1/posts/${postId}/publish`;
    this.body = { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' };
    this.key = `publish ${postId}`.replaceAll(' ', '-');
  }

  /** Asks the worker that has fail points; its answer may never come. */
  async ask(app: App): Promise<void> {
    this.server = await buildServer(app, { app, worker: () => null, isStopping: () => false }, null);
    const url = await this.server.listen({ host: '127.0.0.1', port: 0 });
    const answer = await send('POST', url + this.path, {
      key: this.org.key,
      body: this.body,
      headers: { 'idempotency-key': this.key },
    });
    await this.hear(answer.status, answer.json);
  }

  /** Of a dead worker nobody waits for: its connections are cut. */
  async close(): Promise<void> {
    this.server?.server.closeAllConnections();
    await this.server?.close();
  }

  /** Asks the other one, unless it knows already. */
  async askAgain(): Promise<void> {
    if (this.told.some(({ status }) => status === 200 || status === 504)) return;
    // A refusal is the answer to its key for ever. The account is connected again by now, so that is another request.
    if (this.told.at(-1)?.code === 'reconnect_required') {
      this.key += '-again';
      this.fair.add('wrong_state'); // what the first request hears if it comes back when the second is done
    }
    const { status, json } = await this.org.call('POST', this.path, this.body, {
      'idempotency-key': this.key,
    });
    await this.hear(status, json);
  }

  private async hear(status: number, body: { code?: string; data?: { publish_id?: string } }) {
    const path = this.path.replace(/publish$/, 'publish-status');
    const known = status === 504 ? await this.org.call('GET', path) : null;
    const wasUnknown = known?.json.data?.status === 'unknown';
    this.told.push({ status, code: body.code, publishId: body.data?.publish_id, wasUnknown });
  }

  /** Whatever it was told has to be so. A worker without its database may send it away while the attempt goes on. */
  judge(live: string[], isUnknown: boolean, maySendAway: boolean): string[] {
    return this.told.flatMap(({ status, code, publishId, wasUnknown }) => {
      if (status === 200) return publishId === live[0] ? [] : [`the client was told of ${publishId}`];
      const isFairTimeOut = isUnknown || wasUnknown || maySendAway;
      if (status === 504) return isFairTimeOut ? [] : ['the client was told that nobody knows'];
      return this.fair.has(code ?? '') ? [] : [`the client was told ${status} ${code}`];
    });
  }
}
