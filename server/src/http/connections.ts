// Below the routes: which sockets have requests in progress, how malformed HTTP is answered, and how a stopping server
// drains its connections.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/problems.js';
import type { Server } from '../request/server.js';
import { problemBody } from './problem-reply.js';

/** A client that stops sending is cut off; a slow one gets this long for a whole body. */
const BODY_MS = 60_000;
const MIN_BYTES_PER_MINUTE = 64 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file, which may take any time while bytes keep arriving. */
    takesFile?: boolean;
    /** The response is a file: a client that does not read it is cut off. */
    mustBeRead?: boolean;
    /** A program of its own, with its own limits: the sandbox platform. */
    hasOwnLimits?: boolean;
  }
}

/** How long a stop waits for requests in progress. */
const REQUEST_GRACE_MS = 10_000;

/** How long a keep-alive connection may still deliver a request that was already on its way. */
const IDLE_GRACE_MS = 1_000;
/** The same behind a load balancer, which goes on using its idle connections until each has brought its last response. */
const BALANCED_GRACE_MS = 3_000;

export interface Connections {
  watch(server: Server): void;
  /** For Fastify's option of the same name. */
  clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void;
  /** Call before the server closes, if a load balancer is in front: no idle connection is closed while a request may be on its way. */
  expectBalancer(idleGraceMs?: number): void;
  /** Resolves when every request in progress is answered or has used up its grace period. */
  drain(): Promise<void>;
}

export function createConnections(newRequestId: () => string): Connections {
  const open = new Set<Socket>();
  const answering = new Map<Socket, Set<ServerResponse>>();
  let stopping = false;
  let isBalanced = false;
  let idleGraceMs = IDLE_GRACE_MS;
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

  /** Tells the client that this is the last response on the connection. */
  function lastOne(response: ServerResponse): void {
    response.shouldKeepAlive = false;
    if (!response.headersSent) response.setHeader('connection', 'close');
  }

  function watchSocket(socket: Socket): void {
    if (open.has(socket)) return;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      for (const response of answering.get(socket) ?? []) {
        finish(socket, response);
        process.nextTick(closeUnsent, response);
      }
    });
  }

  /** Node tells only the response that is being sent; those that wait behind it would keep their files and their share of the limits. */
  function closeUnsent(response: ServerResponse): void {
    if (response.closed) return;
    response.destroy();
    response.emit('close');
  }

  function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // Earlier requests on this connection are valid, and this one may have been refused by its headers: their responses are
    // on their way, and must not be followed by another.
    const pending = [...(answering.get(socket) ?? [])]
      .filter(({ req, writableEnded }) => req.complete || writableEnded)
      .at(-1);
    if (pending) return void pending.once('finish', () => socket.end());
    const problem = brokenRequest(error.code);
    const body = problemBody(problem, newRequestId());
    socket.end(
      `HTTP/1.1 ${problem.status} ${problem.code}\r\nContent-Type: application/problem+json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }

  function endLateRequest(raw: IncomingMessage, response: ServerResponse): void {
    if (raw.complete) return;
    // Answered before all of it was read: another response would be taken for that to the next request.
    if (response.writableEnded) return void raw.socket.destroy();
    refuse(Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
  }

  function enforceBodyDeadline(raw: IncomingMessage, response: ServerResponse): void {
    const timer = setTimeout(() => endLateRequest(raw, response), BODY_MS).unref();
    raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  }

  /** A file may take hours, but not by trickling. Bytes that wait to be stored are not the client's fault. */
  function enforceUploadPace(raw: IncomingMessage, response: ServerResponse): void {
    const stop = enforcePace(
      () => raw.socket.bytesRead,
      () => raw.readableLength === 0 && endLateRequest(raw, response),
    );
    raw.once('end', stop).once('close', stop);
  }

  return {
    watch(server) {
      const http = server.server as HttpServer;
      http.on('connection', watchSocket);
      // Node closes idle connections as soon as the server closes, and resets those whose request it has not read yet.
      const closeIdle = http.closeIdleConnections.bind(http);
      http.closeIdleConnections = () => isBalanced || closeIdle();
      http.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
        const problem = new AppError(
          'expectation_failed',
          'The Expect header asks for something this server does not support. Leave it out.',
        );
        const body = problemBody(problem, newRequestId());
        const headers = {
          'content-type': 'application/problem+json',
          'content-length': Buffer.byteLength(body),
        };
        response.writeHead(problem.status, { ...headers, connection: 'close' }).end(body);
      });
      server.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
        begin(request.raw.socket, reply.raw);
        // HTTP/1.1 requires a Host; checked here because Node's own response would have no body.
        if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
          return done(new AppError('bad_request', 'The Host header is missing.'));
        if (hasBody(request.raw))
          (request.routeOptions.config.takesFile ? enforceUploadPace : enforceBodyDeadline)(
            request.raw,
            reply.raw,
          );
        if (request.routeOptions.config.mustBeRead) enforceDownloadPace(reply.raw);
        done();
      });
      server.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
        finish(request.raw.socket, reply.raw);
        done();
      });
    },

    clientErrorHandler: refuse,

    expectBalancer(graceMs = BALANCED_GRACE_MS) {
      isBalanced = true;
      idleGraceMs = graceMs;
    },

    async drain() {
      stopping = true;
      for (const responses of answering.values()) for (const response of responses) lastOne(response);
      if (!isBalanced) for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
      after(idleGraceMs, () => {
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

/** A client must download at the same pace as it must upload. Only bytes that wait for the client are its fault. */
export function enforceDownloadPace(response: ServerResponse): void {
  const { socket } = response.req;
  const stop = enforcePace(
    () => socket.bytesWritten - socket.writableLength,
    () => socket.writableLength > 0 && socket.destroy(),
  );
  response.once('close', stop);
}

/** Calls `onSlow` after each minute in which too few bytes have moved. Returns how to stop. */
function enforcePace(countMoved: () => number, onSlow: () => void): () => void {
  let before = countMoved();
  const timer = setInterval(() => {
    const now = countMoved();
    if (now - before < MIN_BYTES_PER_MINUTE) onSlow();
    before = now;
  }, BODY_MS).unref();
  return () => clearInterval(timer);
}

export const hasBody = ({ headers }: IncomingMessage) =>
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
