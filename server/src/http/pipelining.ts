// How far a connection is read ahead. A client may send thousands of requests without waiting for a response, and Node parses
// all that arrives: up to 3,600 requests of one read. Here at most 16 requests of a connection are parsed and not yet answered.
// What follows stays as bytes, and nothing more is read from the socket meanwhile.
//
// What arrives is cut where a request may end: after a blank line, or at the end of a body. Node has no option for this. It
// reads past the socket's stream unless something listens for its data; then every byte goes through `push`.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export const MAX_PIPELINED = 16;

/** A chunked body can have a blank line every other byte. Others are served in between. */
const MAX_PIECES_PER_TICK = 64;

const EMPTY = Buffer.alloc(0);
const LF = 10;
const CR = 13;

interface Input {
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** What has arrived is not HTTP. */
  giveUp(): void;
}

export function limitPipelining(http: HttpServer): void {
  const inputs = new WeakMap<object, Input>();
  http.on('connection', (socket: Socket) => inputs.set(socket, limitInput(socket)));
  const begin = (request: IncomingMessage, response: ServerResponse) =>
    inputs.get(request.socket)?.begin(request, response);
  http.prependListener('request', begin).prependListener('checkExpectation', begin);
  http.prependListener('clientError', (_error, socket) => inputs.get(socket)?.giveUp());
}

function limitInput(socket: Socket): Input {
  const { push } = socket;
  const heads = new BlankLines();
  /** Has arrived, and is not parsed yet. */
  let rest: Buffer = EMPTY;
  let underWay = 0;
  /** The last request that was parsed, and how much of its body was not. */
  let last: IncomingMessage | undefined;
  let bodyLeft = 0;
  let hasEnded = false;
  let isParsing = false;
  let isBroken = false;

  /** The end of a chunked body is a blank line, so that a piece has nothing that follows it. */
  const mayParse = () =>
    !socket.destroyed &&
    socket.readableFlowing !== false &&
    (underWay < MAX_PIPELINED || bodyLeft > 0 || last?.complete === false);

  function takePiece(): Buffer {
    if (last?.complete) bodyLeft = 0;
    const end = bodyLeft > 0 ? Math.min(bodyLeft, rest.length) : heads.next(rest);
    bodyLeft -= Math.min(bodyLeft, end);
    const arrived = rest;
    if (end === arrived.length) {
      rest = EMPTY;
      return arrived;
    }
    rest = arrived.subarray(end);
    return arrived.subarray(0, end);
  }

  function parse(): void {
    if (isParsing) return;
    isParsing = true;
    for (let pieces = 0; rest.length > 0 && mayParse(); pieces++) {
      if (pieces === MAX_PIECES_PER_TICK) {
        setImmediate(goOn);
        break;
      }
      // Straight to the parser: what the stream would do in between costs more than the rest of this.
      socket.emit('data', takePiece());
    }
    isParsing = false;
  }

  /** When a request was answered, or the socket is read again. */
  function goOn(): void {
    parse();
    if (rest.length > 0 || socket.destroyed || socket.readableFlowing === false) return;
    if (!hasEnded) return void socket._read(0);
    hasEnded = false;
    push.call(socket, null);
    socket.read(0);
  }

  socket.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) {
      hasEnded = true;
      goOn();
      return false;
    }
    if (isBroken) return socket.emit('data', chunk);
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    parse();
    return rest.length === 0;
  };
  socket.on('resume', goOn);
  const listener = () => {};
  socket.on('data', listener).off('data', listener);

  return {
    begin(request, response) {
      underWay++;
      last = request;
      bodyLeft = Number(request.headers['content-length'] ?? 0);
      response.once('close', () => {
        underWay--;
        if (rest.length > 0) goOn();
      });
    },
    giveUp() {
      isBroken = true;
      rest = EMPTY;
    },
  };
}

/** Finds the blank lines in what arrives in pieces, also if one of them is cut in two. */
class BlankLines {
  /** How many characters of a line break, and of what may follow it in a blank line, the last piece ended with. */
  private seen: 0 | 1 | 2 = 0;

  /** The length of the next piece: up to the end of a blank line, or all of it. */
  next(bytes: Buffer): number {
    const end = this.endOf(bytes);
    if (end !== -1) {
      this.seen = 0;
      return end;
    }
    const [before, final] = [bytes.at(-2) ?? (this.seen === 1 ? LF : 0), bytes.at(-1)];
    this.seen = final === LF ? 1 : final === CR && before === LF ? 2 : 0;
    return bytes.length;
  }

  private endOf(bytes: Buffer): number {
    if (this.seen > 0 && bytes[0] === LF) return 1;
    if (this.seen === 1 && bytes[0] === CR && bytes[1] === LF) return 2;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
      if (bytes[at + 1] === LF) return at + 2;
      if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
    }
    return -1;
  }
}
