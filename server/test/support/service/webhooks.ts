// Receivers of webhooks, and what tests do with webhooks.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { createFanOut } from '../../../src/events/webhooks/fan-out.js';
import { createSender } from '../../../src/events/webhooks/sender.js';
import { close, listen } from '../network/local-server.js';
import type { Organization, TestService } from './harness.js';

/** What services must be told to send to receivers on this machine. */
export const ALLOW = { WEBHOOK_ALLOW: '127.0.0.0/8' };

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every type
  message: any;
}

/** Answers every request by `answer`, and keeps what came. */
export class Receiver {
  readonly received: Received[] = [];
  url = '';
  connections = 0;
  answer: (response: ServerResponse, request: Received) => void = (response) => response.end('ok');
  private readonly server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const got = { path: request.url ?? '', headers: request.headers, body, message: JSON.parse(body) };
      this.received.push(got);
      this.answer(response, got);
    });
  });

  async start(): Promise<this> {
    this.server.on('connection', () => this.connections++);
    this.url = await listen(this.server);
    return this;
  }

  stop(): Promise<void> {
    return close(this.server);
  }

  types = (): string[] => this.received.map(({ message }) => message.type);
}

/** Verified by the library that receivers use, at the time of the test's clock. */
export function verify(service: TestService, secret: string, { body, headers }: Received): void {
  const { now } = Date;
  const moment = service.clock.now();
  Date.now = () => moment;
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    Date.now = now;
  }
}

export async function addWebhook(
  org: Organization,
  url: string,
  more: object = {},
): Promise<{ id: string; secret: string }> {
  const answer = await org.call('POST', '/api/v1/webhooks', { url, ...more });
  if (answer.status !== 201) throw new Error(`creating a webhook answered ${answer.status}: ${answer.text}`);
  return answer.json.data;
}

/** Makes deliveries from all events, without a worker. */
export async function fanOutAll({ app }: Pick<TestService, 'app'>, page?: number): Promise<void> {
  let isMore = true;
  const fanOut = createFanOut(
    app,
    undefined,
    () => {
      isMore = true;
    },
    page,
  );
  while (isMore) {
    isMore = false;
    await fanOut.startDue();
    await fanOut.idle();
  }
}

/** Makes deliveries from all events and sends what is due, until nothing is. */
export async function sendAll(service: TestService): Promise<void> {
  const { app } = service;
  const sender = createSender(app);
  await fanOutAll(service);
  for (;;) {
    const due = await app.db.read
      .selectFrom('webhook_deliveries')
      .innerJoin('webhook_endpoints', 'webhook_endpoints.id', 'webhook_deliveries.endpoint_id')
      .select('webhook_deliveries.id')
      .where('enabled', '=', 1)
      .where('state', '=', 'pending')
      .where('next_at', '<=', app.clock.now())
      .executeTakeFirst();
    if (!due) return;
    await sender.startDue();
    await sender.idle();
  }
}

/** A delivery that has failed, written directly to the database. */
export async function addDelivery({ app }: TestService, org: Organization, endpointId: string) {
  const id = app.newId();
  const now = app.clock.now();
  await app.db.transact((tx) =>
    tx
      .insertInto('webhook_deliveries')
      .values({
        org_id: org.id,
        id,
        endpoint_id: endpointId,
        message_id: `msg_${id.replaceAll('-', '')}`,
        event_id: 'evt_000000001',
        event_seq: 1,
        type: 'post.created',
        subject: id,
        body: '{}',
        state: 'failed',
        attempts: 10,
        tries: 10,
        next_at: null,
        lease_until: null,
        fence: 0,
        created_at: now,
        settled_at: now,
      })
      .execute(),
  );
  return id;
}
