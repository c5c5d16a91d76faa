// Faults that tests order for certain calls. Each applies to as many calls as ordered.
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Platform } from './platform.js';
import { ApiError, type Code } from './responses.js';

export const FAULT_TARGETS = ['init', 'upload', 'status', 'token', 'creator_info'] as const;
export type FaultTarget = (typeof FAULT_TARGETS)[number];

/**
 * hang: accepted, never answered · reset_before: nothing accepted · reset_after: accepted, response lost ·
 * slow: accepted, response late · http_…: refused with this status, nothing accepted
 */
export const FAULT_KINDS = [
  'hang',
  'reset_before',
  'reset_after',
  'slow',
  'http_400',
  'http_401',
  'http_403',
  'http_404',
  'http_416',
  'http_429',
  'http_500',
  'http_502',
  'http_503',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

interface FaultRow {
  id: number;
  kind: FaultKind;
  skip: number;
  ms: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sandbox only: which faults apply to this route. */
    faultTarget?: FaultTarget;
  }
  interface FastifyRequest {
    /** Sandbox only: what happens to the response. */
    fault?: FaultRow | null;
  }
}

const CODE_OF: Record<string, Code> = {
  http_400: 'invalid_params',
  http_401: 'access_token_invalid',
  http_429: 'rate_limit_exceeded',
};

/** Returns a function that closes the hanging calls. */
export function injectFaults(app: FastifyInstance, platform: Platform): () => void {
  const hanging = new Set<Socket>();

  app.addHook('onRequest', (request, _reply, done) => {
    const { faultTarget } = request.routeOptions.config;
    let fault: FaultRow | null = null;
    try {
      if (faultTarget !== undefined) fault = takeFault(platform, faultTarget);
    } catch (error) {
      // Thrown in a hook, it would end the process.
      return done(error as Error);
    }
    if (fault?.kind === 'reset_before') return reset(request);
    request.fault = fault;
    const [, status] = /^http_(\d+)$/.exec(fault?.kind ?? '') ?? [];
    if (status === undefined) return done();
    done(new ApiError(CODE_OF[fault?.kind ?? ''] ?? 'internal_error', undefined, Number(status)));
  });

  app.addHook('onSend', (request, _reply, payload, done) => {
    const { socket } = request.raw;
    switch (request.fault?.kind) {
      case 'reset_after':
        return reset(request);
      case 'hang':
        hanging.add(socket.once('close', () => hanging.delete(socket)));
        return;
      case 'slow':
        setTimeout(() => done(null, payload), request.fault.ms);
        return;
      default:
        done(null, payload);
    }
  });

  return () => {
    for (const socket of hanging) socket.destroy();
  };
}

/** The oldest unused fault for this call. One that skips calls counts down instead. */
function takeFault({ store }: Platform, target: FaultTarget): FaultRow | null {
  const fault = store.get<FaultRow>(
    'select * from faults where target = ? and times > 0 order by id limit 1',
    target,
  );
  if (!fault) return null;
  if (fault.skip > 0) {
    store.run('update faults set skip = skip - 1 where id = ?', fault.id);
    return null;
  }
  store.run('update faults set times = times - 1 where id = ?', fault.id);
  store.run('delete from faults where times <= 0');
  return fault;
}

const reset = ({ raw }: FastifyRequest) => void raw.socket.resetAndDestroy();
