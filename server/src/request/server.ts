// The type of the HTTP server that routes are added to. It is built in http/server.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { GaugeValue } from '../core/meters.js';

declare module 'fastify' {
  interface FastifyInstance {
    gauge: AddGauge;
  }
}

/** Adds a figure to /metrics that is read at each scrape; `label` if there is one for each of its values. */
export type AddGauge = (
  name: string,
  help: string,
  read: () => GaugeValue | Promise<GaugeValue>,
  label?: string,
) => void;

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;
