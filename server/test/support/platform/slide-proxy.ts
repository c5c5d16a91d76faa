// Servers between the platform and the slides, which tests open and close.
import { createServer, type Server } from 'node:http';
import { after, before } from 'node:test';
import type { App } from '../../../src/app/app.js';
import type { TestService } from '../service/harness.js';
import { listen } from './test-platform.js';

/** Stands between the platform and the slides: closed, it has the platform ask again. */
export class SlideProxy {
  url = '';
  isOpen = false;
  /** Which service answers, if it is not the world's. */
  behind: string | null = null;
  /** How many slides break off in the middle. */
  breaks = 0;
  /** How the slides were answered. */
  readonly answered: number[] = [];
  private readonly server: Server;

  constructor(world: { service: TestService }) {
    this.server = createServer(async (request, response) => {
      if (!this.isOpen) return void response.writeHead(503).end();
      const real = await fetch((this.behind ?? world.service.url) + request.url);
      this.answered.push(real.status);
      const bytes = Buffer.from(await real.arrayBuffer());
      response.writeHead(real.status, {
        'content-type': real.headers.get('content-type') ?? '',
        'content-length': bytes.length,
      });
      if (this.breaks-- > 0) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      else response.end(bytes);
    });
    before(async () => {
      this.url = await listen(this.server);
    });
    after(() => {
      this.server.closeAllConnections();
      this.server.close();
    });
  }

  /** From now on, whatever this App offers is behind the gate, which is closed. */
  closeFor(app: App): () => void {
    const { publicUrl } = app.urls;
    this.isOpen = false;
    app.urls.publicUrl = this.url;
    return () => {
      app.urls.publicUrl = publicUrl;
    };
  }
}

/** A server between the platform and the slides: it is out of order until the gate is opened. */
export async function withGate(
  service: TestService,
  work: (openGate: () => void) => Promise<void>,
): Promise<void> {
  let isOpen = false;
  const gate: Server = createServer(async (request, response) => {
    if (!isOpen) return response.writeHead(503).end();
    const answer = await fetch(service.url + request.url);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const { urls } = service.app;
  const { publicUrl } = urls;
  urls.publicUrl = await listen(gate);
  try {
    await work(() => {
      isOpen = true;
    });
  } finally {
    urls.publicUrl = publicUrl;
    gate.closeAllConnections();
    await new Promise((resolve) => gate.close(resolve));
  }
}
