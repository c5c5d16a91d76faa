// A connector whose calls are observed: how long each took, and how it ended.
import type { Connector } from './connector.js';

/** The calls that reach the platform. */
const CALLS = [
  'creator',
  'prepare',
  'submit',
  'sendChunk',
  'observe',
  'exchange',
  'renew',
  'revoke',
  'identity',
] as const;
export type CallName = (typeof CALLS)[number];

/** Runs one call to the platform. Every answer has a kind, from the short lists in connector.ts. */
export type CallWrapper = <T extends { kind: string }>(call: CallName, run: () => Promise<T>) => Promise<T>;

export function instrumentConnector(real: Connector, around: CallWrapper): Connector {
  const calls = CALLS.map((name) => {
    const call = real[name] as (...given: unknown[]) => Promise<{ kind: string }>;
    return [name, (...given: unknown[]) => around(name, () => call(...given))];
  });
  return { ...real, ...Object.fromEntries(calls) };
}
