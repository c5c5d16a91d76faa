// Names of customers' hosts. Not dns.lookup: it blocks one of the four threads that files and passwords also need, for as
// long as a name server likes.
import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a name; fails if there are none, or if the signal aborts. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;

export const resolveName: Resolve = async (name, signal) => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const [failed] = found;
    if (addresses.length === 0 && failed.status === 'rejected') throw failed.reason;
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/** Resolves names that the operator chose: they may be in /etc/hosts only. */
export const resolveAsSystem: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);
