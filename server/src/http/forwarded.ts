// What a trusted proxy says about the client's address. `X-Forwarded-For` grows from the left, and what stands left of the proxies
// was written by the client: only addresses count, up to the first entry that is none.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const HEADER = 'x-forwarded-for';

/** An IP address, to which some proxies add the port. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

export function forwardedAddresses(trustedProxies: readonly string[]): (request: IncomingMessage) => void {
  // Without a proxy the header is never read.
  if (trustedProxies.length === 0) return () => {};
  return ({ headers }) => {
    const given = headers[HEADER];
    if (given === undefined) return;
    const addresses = addressesIn([given].flat().join());
    if (addresses.length === 0) delete headers[HEADER];
    else headers[HEADER] = addresses.join(', ');
  };
}

/** The addresses at the end of the list. */
export function addressesIn(header: string): string[] {
  const found: string[] = [];
  for (const entry of header.split(',').reverse()) {
    const text = entry.trim();
    const [, v6, v4] = WITH_PORT.exec(text) ?? [];
    const address = v6 ?? v4 ?? text;
    if (isIP(address) === 0) break;
    found.unshift(address);
  }
  return found;
}
