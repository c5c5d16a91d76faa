// A proxy between a process and its Postgres that stalls for a while: everything, only queries for the time and their
// answers, or only commits and theirs. Nothing is lost and no connection is cut, as on a line or a disk that hangs.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type StallKind = 'everything' | 'time' | 'commit';

/** One direction of a connection. Bytes that come while it is stalled are forwarded later, and so is its end. */
class Gate {
  private readonly buffered: Buffer[] = [];
  private isHeld = false;
  private isOver = false;
  private readonly to: Socket;

  constructor(to: Socket) {
    this.to = to;
  }

  pass(bytes: Buffer): void {
    if (this.isHeld) this.buffered.push(bytes);
    else if (this.to.writable) this.to.write(bytes);
  }

  end(): void {
    this.isOver = true;
    if (!this.isHeld) this.to.end();
  }

  freeze(): void {
    this.isHeld = true;
  }

  thaw(): void {
    this.isHeld = false;
    for (const bytes of this.buffered.splice(0)) this.pass(bytes);
    if (this.isOver) this.to.end();
  }
}

interface Way {
  up: Gate;
  down: Gate;
}

export class StallingProxy {
  url = '';
  /** How much was delayed since the stall began: connections, queries for the time, or commits. */
  held = 0;
  /** Every answer about the time takes this long, even without a stall: the process then asks every second. */
  timeTakesMs = 0;
  private count = 0;
  private stall: StallKind | null = null;
  private readonly ways = new Set<Way>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private readonly target: URL;

  constructor(databaseUrl: string) {
    this.target = new URL(databaseUrl);
    this.server = createServer((near) => this.join(near));
  }

  async start(): Promise<this> {
    await new Promise<void>((up) => this.server.listen(0, '127.0.0.1', up));
    const own = new URL(this.target);
    own.hostname = '127.0.0.1';
    own.port = String((this.server.address() as AddressInfo).port);
    this.url = own.href;
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  begin(kind: StallKind): void {
    this.stall = kind;
    this.held = 0;
    if (kind === 'everything') for (const way of this.ways) this.holdAll(way);
  }

  end(): void {
    this.stall = null;
    for (const { up, down } of this.ways) {
      up.thaw();
      down.thaw();
    }
  }

  private holdAll({ up, down }: Way): void {
    this.held++;
    up.freeze();
    down.freeze();
  }

  private join(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    const way: Way = { up: new Gate(far), down: new Gate(near) };
    this.ways.add(way);
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.sockets.delete(socket));
    }
    if (this.stall === 'everything') this.holdAll(way);
    const read = messages((message) => {
      this.inspectMessage(way, message);
      way.up.pass(message);
    });
    near.on('data', read);
    // Bytes that a process sent before it gave up a connection still arrive, in the same order.
    near.on('close', () => way.up.end());
    far.on('data', (bytes) => way.down.pass(bytes));
    far.on('close', () => {
      way.down.end();
      this.ways.delete(way);
    });
  }

  /** A process sends one query at a time on each connection, so stalling its direction stalls only this query. */
  private inspectMessage({ up, down }: Way, message: Buffer): void {
    const asks = message[0] === QUERY || message[0] === PARSE;
    const text = asks ? message.toString('latin1').toLowerCase() : '';
    if (text.includes('clock_timestamp')) {
      if (this.stall === 'time') this.holdInTurn(up, down);
      else if (this.stall === null && this.timeTakesMs > 0) {
        down.freeze();
        setTimeout(() => this.stall === null && down.thaw(), this.timeTakesMs);
      }
    } else if (this.stall === 'commit' && /^.{5}commit\0/s.test(text)) {
      this.holdInTurn(up, down);
    }
  }

  /** Alternately on the way to the server, and on the way back when the server has already run it. */
  private holdInTurn(up: Gate, down: Gate): void {
    this.held++;
    (this.count++ % 2 === 0 ? up : down).freeze();
  }
}

const QUERY = 'Q'.charCodeAt(0);
const PARSE = 'P'.charCodeAt(0);

/** Splits a client's bytes into messages. The first one has no letter before its length. */
function messages(each: (message: Buffer) => void): (bytes: Buffer) => void {
  let buffered = Buffer.alloc(0);
  let lengthAt = 0;
  return (bytes) => {
    buffered = Buffer.concat([buffered, bytes]);
    while (buffered.length >= lengthAt + 4) {
      const end = lengthAt + buffered.readUInt32BE(lengthAt);
      if (buffered.length < end) return;
      const message = buffered.subarray(0, end);
      buffered = buffered.subarray(end);
      lengthAt = 1;
      each(message);
    }
  };
}
