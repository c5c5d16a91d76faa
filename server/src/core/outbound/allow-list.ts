// What the operator lets customers reach beyond the public internet: networks, and hosts by name.
import { isIP } from 'node:net';
import { toBlockList } from './addresses.js';

export interface AllowList {
  hasHost(name: string): boolean;
  hasAddress(address: string): boolean;
}

/** Entries as in WEBHOOK_ALLOW, already checked by the configuration. */
export function createAllowList(entries: readonly string[]): AllowList {
  const isNetwork = (entry: string) => isIP(entry.split('/')[0] as string) !== 0;
  const networks = toBlockList(entries.filter(isNetwork));
  const hosts = new Set(entries.filter((entry) => !isNetwork(entry)).map(plainHost));
  return {
    hasHost: (name) => hosts.has(plainHost(name)),
    hasAddress: (address) =>
      !address.includes('%') && networks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'),
  };
}

/** A name with and without its last dot is the same host. */
export const plainHost = (name: string): string => name.toLowerCase().replace(/\.$/, '');
