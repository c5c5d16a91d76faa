// What runs beside the two workers: the proxy through which the platform fetches slides, which a test can shut, and a
// client that publishes a post now and repeats the request, with the same key, until it learns the outcome.

import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import type { App } from '../../../src/app/app.js';
import { buildServer } from '../../../src/http/server.js';
import type { Server as Api } from '../../../src/request/server.js';
import { listen } from '../../support/platform/test-platform.js';
import type { Organization } from '../../support/service/harness.js';
import { send } from '../../support/service/send.js';

export class SlideGate {
  readonly url: string;
  isShut = false;
  private readonly server: Server;
  private waiting: (() => void)[] = [];

  private constructor(url: string, server: Server) {
    this.url = url;
    this.server = server;
  }

  /** Forwards everything to `target`; only requests for slides wait while it is shut. */
  static async before(target: string): Promise<SlideGate> {
    let gate: SlideGate | undefined;
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
    gate = new SlideGate(await listen(server), server);
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

interface Answer {
  status: number;
  code: string | undefined;
  publishId: string | undefined;
  /** Whether the outcome was unknown at the time of the response. An acceptance may come later. */
  wasUnknown: boolean;
}

export class Client {
  private readonly org: Organization;
  private readonly path: string;
  private readonly body: Record<string, unknown>;
  private readonly answers: Answer[] = [];
  /** Problems that are right whatever the outcome of the post. */
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

  /** Sends the request to the worker that has fail points; the response may never come. */
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

  /** Does not wait for a dead worker: its connections are cut. */
  async close(): Promise<void> {
    this.server?.server.closeAllConnections();
    await this.server?.close();
  }

  /** Sends the request to the other worker, unless the client knows the outcome already. */
  async askAgain(): Promise<void> {
    if (this.answers.some(({ status }) => status === 200 || status === 504)) return;
    // A key answers with its refusal for ever. The account is reconnected by now, so this is a new request.
    if (this.answers.at(-1)?.code === 'reconnect_required') {
      this.key += '-again';
      this.fair.add('wrong_state'); // the first request's response if it resumes when the second is done
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
    this.answers.push({ status, code: body.code, publishId: body.data?.publish_id, wasUnknown });
  }

  /** Every response has to be true. A worker without its database may answer 504 while the attempt continues. */
  judge(live: string[], isUnknown: boolean, maySendAway: boolean): string[] {
    return this.answers.flatMap(({ status, code, publishId, wasUnknown }) => {
      if (status === 200) return publishId === live[0] ? [] : [`the client was told of ${publishId}`];
      const isFairTimeOut = isUnknown || wasUnknown || maySendAway;
      if (status === 504) return isFairTimeOut ? [] : ['the client was told that the outcome is unknown'];
      return this.fair.has(code ?? '') ? [] : [`the client was told ${status} ${code}`];
    });
  }
}
