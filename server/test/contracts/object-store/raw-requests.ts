// Requests exactly as written: fetch would normalize URLs and lengths before sending them.
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export const newAgent = (sockets: number): Agent => new Agent({ keepAlive: true, maxSockets: sockets });

export interface RawOptions {
  headers?: Record<string, string>;
  /** Without a `content-length` header it is sent in chunks. */
  body?: Buffer;
  /** Sent unchanged in place of the URL's own path and query. */
  target?: string;
  agent?: Agent;
}

export async function send(method: string, address: string, options: RawOptions = {}): Promise<RawAnswer> {
  const { headers = {}, body, agent } = options;
  const { hostname, port, origin } = new URL(address);
  const path = options.target ?? address.slice(origin.length);
  const outgoing = request({ method, host: hostname, port, path, headers, ...(agent ? { agent } : {}) });
  const answered = once(outgoing, 'response');
  // Errors after the response: some servers send a body where HTTP forbids one.
  outgoing.on('error', () => {});
  const inChunks = body !== undefined && headers['content-length'] === undefined;
  // In two pieces, or Node would set the length of the body itself.
  if (inChunks) outgoing.write(body.subarray(0, 1));
  outgoing.end(inChunks ? body.subarray(1) : body);
  const [answer] = (await answered) as [IncomingMessage];
  const read = method === 'HEAD' ? Buffer.alloc(0) : await buffer(answer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: read };
}

/** Sends the head and this much of the body, ends the connection, and waits until the server has noticed. */
export async function breakOff(
  method: string,
  address: string,
  headers: Record<string, string>,
  part: Buffer,
): Promise<void> {
  const { hostname, port, host, origin } = new URL(address);
  const socket = connect(Number(port), hostname);
  const closed = once(socket, 'close');
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${address.slice(origin.length)} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.end(part);
  socket.resume();
  await closed;
}
