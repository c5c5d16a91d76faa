// A proxy between a service and its platform that learns what they exchange: codes, verifiers and tokens.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../support/platform/test-platform.js';

const SECRETS = ['access_token', 'refresh_token', 'code', 'code_verifier'];

export class RecordingPlatform {
  url = '';
  /** Known only later: the sandbox needs the service's address, and the service this one. */
  platformUrl = '';
  private readonly learn: (name: string, secret: string) => void;
  private readonly server = createServer((call, answer) => {
    this.pass(call, answer).catch(() => answer.destroy());
  });

  constructor(learn: (name: string, secret: string) => void) {
    this.learn = learn;
  }

  async start(): Promise<this> {
    this.url = await listen(this.server);
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private async pass(call: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method, headers } = call;
    const body = await buffer(call);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(this.platformUrl + call.url, { method, headers }, resolve)
        .on('error', reject)
        .end(body);
    });
    const text = await buffer(response);
    if (call.url === '/v2/oauth/token/') {
      this.learnFrom([...new URLSearchParams(body.toString())]);
      this.learnFrom(Object.entries(JSON.parse(text.toString() || '{}')));
    }
    answer.writeHead(response.statusCode ?? 502, response.headers).end(text);
  }

  private learnFrom(entries: [string, unknown][]): void {
    for (const [name, value] of entries)
      if (SECRETS.includes(name) && typeof value === 'string' && value.length > 20) this.learn(name, value);
  }
}
