// A span for each request, around everything that it does. Only if a tracer is registered: see core/spans.ts.
import { type Context, context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createTrust } from '../core/networks.js';
import type { Server } from '../request/server.js';

export function traceRequests(server: Server, trustedProxies: readonly string[]): void {
  const tracer = trace.getTracer('airdate');
  const isTrusted = createTrust(trustedProxies);
  const traced = new WeakMap<FastifyRequest, Context>();

  server.addHook('onRequest', (request: FastifyRequest, _reply: FastifyReply, done) => {
    const { method, routeOptions, raw } = request;
    // A stranger's headers do not decide which trace our spans belong to.
    const parent = isTrusted(raw.socket.remoteAddress)
      ? propagation.extract(context.active(), raw.headers)
      : context.active();
    const route = routeOptions.url ?? 'unknown';
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'airdate.request_id': request.id,
    };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    const inside = trace.setSpan(parent, span);
    traced.set(request, inside);
    context.with(inside, done);
  });
  // The body arrives in events of the connection, which know nothing of the request.
  server.addHook('preValidation', (request: FastifyRequest, _reply: FastifyReply, done) => {
    context.with(traced.get(request) ?? context.active(), done);
  });
  server.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const span = trace.getSpan(traced.get(request) ?? context.active());
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
