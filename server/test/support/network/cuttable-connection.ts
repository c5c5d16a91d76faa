// The line between a client and the service, which a test can cut: before a request arrives, or before its response does.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { close, listen } from './local-server.js';

/** What becomes of a request. `lose`: the service gets it, and its response is lost. A response: the service never sees it. */
export type Fate =
  | 'pass'
  | 'cut'
  | 'lose'
  | { status: number; headers?: Record<string, string>; body?: string };

export interface Passed {
  method: string;
  path: string;
  key: string | undefined;
  headers: IncomingMessage['headers'];
}

export class Line {
  url = '';
  /** Where the service is now. */
  target = '';
  /** Every request, in order of arrival. */
  readonly passed: Passed[] = [];
  /** Decides about each request; may wait. `arrived` counts the bytes of its body so far. */
  decide: (request: Passed) => Fate | Promise<Fate> = () => 'pass';
  /** Called when the service has answered and the response was not passed on yet. */
  onAnswer: (request: Passed) => void | Promise<void> = () => {};
  private readonly server: Server = createServer((incoming, outgoing) => void this.carry(incoming, outgoing));

  async start(): Promise<this> {
    this.url = await listen(this.server);
    return this;
  }

  stop(): Promise<void> {
    return close(this.server);
  }

  /** Cuts every connection that is open. */
  cutAll(): void {
    this.server.closeAllConnections();
  }

  clear(): void {
    this.passed.length = 0;
    this.decide = () => 'pass';
    this.onAnswer = () => {};
  }

  /** The paths that were asked for, with their methods. */
  get paths(): string[] {
    return this.passed.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
  }

  private async carry(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const passed = { method, path, key: headers['idempotency-key'] as string | undefined, headers };
    this.passed.push(passed);
    const fate = await this.decide(passed);
    if (fate === 'cut') return void incoming.socket.destroy();
    if (typeof fate === 'object') {
      incoming.resume();
      return void outgoing.writeHead(fate.status, fate.headers).end(fate.body ?? '');
    }
    const onward = request(this.target + path, { method, headers, agent: false });
    const isOver = () => incoming.socket.destroy();
    onward.once('error', isOver);
    outgoing.once('close', () => onward.destroy());
    onward.once('response', async (answer) => {
      answer.once('error', isOver);
      await this.onAnswer(passed);
      if (fate === 'lose') return void incoming.socket.destroy();
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  }
}
