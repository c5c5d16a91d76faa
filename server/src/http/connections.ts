// What happens below the routes: which sockets have a request in progress, what is no HTTP at all, and how a stopping
// server lets go of its connections.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../problems.js';
import { problemBody } from './problem-reply.js';
import type { Server } from './server.js';

/** How long a stop waits for requests that have begun. */
const GRACE_MS = 10_000;

export interface Connections {
  watch(server: Server): void;
  /** For Fastify's option of the same name. */
  clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void;
  /** Closes what nobody waits for at once, and the rest when the grace is over. */
  letGo(): void;
}

export function createConnections(newRequestId: () => string): Connections {
  const open = new Set<Socket>();
  const answering = new Map<Socket, ServerResponse>();
  let stopping = false;

  function watchSockets(http: HttpServer): void {
    http.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        answering.delete(socket);
      });
    });
    http.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
      const problem = new AppError(
        'expectation_failed',
        'The Expect header asks for something unknown here.',
      );
      const body = problemBody(problem, newRequestId());
      response.writeHead(problem.status, {
        'content-type': 'application/problem+json',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      });
      response.end(body);
    });
  }

  return {
    watch(server) {
      watchSockets(server.server as HttpServer);
      server.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
        answering.set(request.raw.socket, reply.raw);
        // HTTP/1.1 asks for a Host; checked here and not by Node, whose answer would have no body.
        if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
          return done(new AppError('bad_request', 'The Host header is missing.'));
        done();
      });
      server.addHook('onResponse', (request: FastifyRequest, _reply: FastifyReply, done) => {
        answering.delete(request.raw.socket);
        if (stopping) request.raw.socket.end();
        done();
      });
    },

    clientErrorHandler(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const pending = answering.get(socket);
      // A good request came before: its answer is on the way, and must not be replaced by this one.
      if (pending?.req.complete) return void pending.once('finish', () => socket.end());
      const problem = brokenRequest(error.code);
      const body = problemBody(problem, newRequestId());
      socket.end(
        `HTTP/1.1 ${problem.status} ${problem.code}\r\nContent-Type: application/problem+json\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    },

    letGo() {
      stopping = true;
      for (const socket of open) if (!answering.has(socket)) socket.destroy();
      setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, GRACE_MS).unref();
    },
  };
}

function brokenRequest(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('header_fields_too_large', 'Send smaller headers.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('request_timeout', 'Send the whole request faster.');
  return new AppError('bad_request', 'This is not a well-formed HTTP request.');
}
