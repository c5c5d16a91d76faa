// A proxy between a service and its platform: calls for some accounts are taken and never answered, all others pass.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from './test-platform.js';

export class HangingPlatform {
  url = '';
  /** Access tokens whose calls are never answered. */
  readonly silentFor = new Set<string>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(platformUrl: string) {
    this.server = createServer((call, answer) => this.pass(platformUrl, call, answer));
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket.once('close', () => this.sockets.delete(socket)));
    });
  }

  async start(): Promise<this> {
    this.url = await listen(this.server);
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  private pass(platformUrl: string, call: IncomingMessage, answer: ServerResponse): void {
    const token = call.headers.authorization?.replace(/^Bearer /, '');
    if (token !== undefined && this.silentFor.has(token)) return void call.resume();
    const { method, headers } = call;
    const passed = request(platformUrl + call.url, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    call.pipe(passed);
  }
}
