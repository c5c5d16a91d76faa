// Refuses requests that are not meant for this installation, before anything else looks at them.
//
// A web page can point its own domain name at 127.0.0.1 (DNS rebinding) and then call a service on the visitor's machine as if
// it were its own. Such a request has that domain name in its Host header. While PUBLIC_URL is loopback, only names that mean
// this machine are accepted; behind a proxy, PUBLIC_URL is set, and any Host may be the proxy's.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';
import { isLoopbackHost, isLoopbackUrl } from '../config/loopback.js';
import { AppError } from '../core/problems.js';

/** Load balancers ask these by an address of the machine. */
const FOR_EVERYONE = new Set(['/healthz', '/readyz']);

const HOST = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/;

export function knownHostsHook({ publicUrl }: Pick<Config, 'publicUrl'>) {
  const isForThisMachine = isLoopbackUrl(publicUrl);
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const { host, 'transfer-encoding': encoding } = request.headers;
    if (countHosts(request.raw.rawHeaders) > 1)
      return done(new AppError('bad_request', 'Send one Host header, not several.'));
    if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
      return done(new AppError('bad_request', 'The only supported Transfer-Encoding is chunked.'));
    // Never X-Forwarded-Host: a page can set that one itself.
    if (
      isForThisMachine &&
      host !== undefined &&
      !isLoopbackHost(HOST.exec(host)?.[1] ?? '') &&
      !FOR_EVERYONE.has(request.routeOptions.url ?? '')
    )
      return done(
        new AppError(
          'misdirected_request',
          'This installation is set up for its own machine alone. To use it by another name or address, set PUBLIC_URL to it.',
        ),
      );
    done();
  };
}

/** Node keeps the first and drops the others, which a proxy in front may have believed instead. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}
