// A load balancer for tests: passes each request to one of the processes behind it, in turn.
import { createServer, request as passOn } from 'node:http';
import { close, listen } from './local-server.js';

export class Balancer {
  url = '';
  private readonly behind: string[] = [];
  private readonly inFlight = new Map<string, number>();
  private idle: () => void = () => {};
  private next = 0;

  private readonly server = createServer((request, response) => {
    const to = this.behind[this.next++ % this.behind.length];
    if (to === undefined) return void response.writeHead(502).end();
    this.count(to, +1);
    response.once('close', () => this.count(to, -1));
    const { method, headers } = request;
    const passed = passOn(to + request.url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    // The client sees a request that failed.
    passed.once('error', () => response.destroy());
    request.pipe(passed);
  });

  async start(): Promise<this> {
    this.url = await listen(this.server);
    return this;
  }

  stop(): Promise<void> {
    return close(this.server);
  }

  add(url: string): void {
    this.behind.push(url);
  }

  /** Resolves when the process has answered the requests that it has got. */
  async remove(url: string): Promise<void> {
    this.behind.splice(this.behind.indexOf(url), 1);
    if (this.inFlight.has(url))
      await new Promise<void>((resolve) => {
        this.idle = () => {
          if (!this.inFlight.has(url)) resolve();
        };
      });
  }

  private count(url: string, by: number): void {
    const n = (this.inFlight.get(url) ?? 0) + by;
    if (n === 0) this.inFlight.delete(url);
    else this.inFlight.set(url, n);
    this.idle();
  }
}
