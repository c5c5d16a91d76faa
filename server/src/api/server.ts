// The type of the HTTP server that routes are added to. It is built in http/server.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    gauge: AddGauge;
  }
}

/** Adds a figure to /metrics that is read at each scrape. */
export type AddGauge = (name: string, help: string, read: () => number) => void;

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;
