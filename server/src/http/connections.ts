// What happens below the routes: which sockets have requests in progress, what is no HTTP at all, and how a stopping
// server lets go of its connections.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../api/server.js';
import { AppError } from '../ground/problems.js';
import { problemBody } from './problem-reply.js';

/** A client that stops sending is cut off; one that sends slowly has so long for a whole body. */
const BODY_MS = 60_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file, and takes as long as it takes while it moves. */
    takesFile?: boolean;
  }
}

/** How long a stop waits for requests that have begun. */
const REQUEST_GRACE_MS = 10_000;

/** How long a connection that is kept alive may still bring a request that was on its way. */
const IDLE_GRACE_MS = 1_000;

export interface Connections {
  watch(server: Server): void;
  /** For Fastify's option of the same name. */
  clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void;
  /** Ends when every request that has begun is answered, or has used up its grace. */
  drain(): Promise<void>;
}

export function createConnections(newRequestId: () => string): Connections {
  /** Every connection of the first listener, and of all others those that have sent something. */
  const open = new Set<Socket>();
  const answering = new Map<Socket, Set<ServerResponse>>();
  let stopping = false;
  let onIdle = () => {};

  function begin(socket: Socket, response: ServerResponse): void {
    const responses = answering.get(socket) ?? new Set();
    answering.set(socket, responses.add(response));
    if (stopping) lastOne(response);
  }

  function finish(socket: Socket, response: ServerResponse): void {
    const responses = answering.get(socket);
    responses?.delete(response);
    if (responses?.size !== 0) return;
    answering.delete(socket);
    if (answering.size === 0) onIdle();
  }

  /** Tells the client that nothing more will be answered on this connection. */
  function lastOne(response: ServerResponse): void {
    response.shouldKeepAlive = false;
    if (!response.headersSent) response.setHeader('connection', 'close');
  }

  function watchSocket(socket: Socket): void {
    if (open.has(socket)) return;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      for (const response of answering.get(socket) ?? []) finish(socket, response);
    });
  }

  function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // Good requests came before: their answers are on the way, and must not be replaced by this one.
    const pending = [...(answering.get(socket) ?? [])].filter(({ req }) => req.complete).at(-1);
    if (pending) return void pending.once('finish', () => socket.end());
    const problem = brokenRequest(error.code);
    const body = problemBody(problem, newRequestId());
    socket.end(
      `HTTP/1.1 ${problem.status} ${problem.code}\r\nContent-Type: application/problem+json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }

  /** Gives a body so long to arrive. */
  function enforceBodyDeadline(raw: IncomingMessage): void {
    const late = Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const timer = setTimeout(() => raw.complete || refuse(late, raw.socket), BODY_MS).unref();
    raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  }

  return {
    watch(server) {
      const http = server.server as HttpServer;
      http.on('connection', watchSocket);
      http.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
        const problem = new AppError(
          'expectation_failed',
          'The Expect header asks for something unknown here.',
        );
        const body = problemBody(problem, newRequestId());
        const headers = {
          'content-type': 'application/problem+json',
          'content-length': Buffer.byteLength(body),
        };
        response.writeHead(problem.status, { ...headers, connection: 'close' }).end(body);
      });
      server.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
        watchSocket(request.raw.socket);
        begin(request.raw.socket, reply.raw);
        // HTTP/1.1 asks for a Host; checked here and not by Node, whose answer would have no body.
        if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
          return done(new AppError('bad_request', 'The Host header is missing.'));
        if (hasBody(request.raw) && !request.routeOptions.config.takesFile) enforceBodyDeadline(request.raw);
        done();
      });
      server.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
        finish(request.raw.socket, reply.raw);
        done();
      });
    },

    clientErrorHandler: refuse,

    async drain() {
      stopping = true;
      for (const responses of answering.values()) for (const response of responses) lastOne(response);
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
      after(IDLE_GRACE_MS, () => {
        for (const socket of open) if (!answering.has(socket)) socket.destroy();
      });
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        if (answering.size === 0) resolve();
        after(REQUEST_GRACE_MS, () => {
          for (const socket of open) socket.destroy();
          resolve();
        });
      });
    },
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function after(ms: number, act: () => void): void {
  setTimeout(act, ms).unref();
}

function brokenRequest(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('header_fields_too_large', 'Send smaller headers.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('request_timeout', 'Send the whole request faster.');
  return new AppError('bad_request', 'This is not a well-formed HTTP request.');
}
