// A line to a database that a test can move to another one: open connections are cut, and new ones go there.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class SwitchableDatabaseProxy {
  private target: URL;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(databaseUrl: string) {
    this.target = new URL(databaseUrl);
    this.server = createServer((near) => {
      const far = connect(Number(this.target.port), this.target.hostname);
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.sockets.delete(socket);
          other.destroy();
        });
      }
      near.pipe(far).pipe(near);
    });
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  switchTo(databaseUrl: string): void {
    this.target = new URL(databaseUrl);
    this.cut();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((closed) => this.server.close(closed));
  }

  private cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
