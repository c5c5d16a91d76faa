// Who an address belongs to: for limits by address, and for what a proxy may tell us.
import { isIP, isIPv6 } from 'node:net';
import { toBlockList } from './outbound/addresses.js';

/** An IPv4 address itself; of an IPv6 address its first 64 bits, because one machine has all of the others. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.toLowerCase().split('::');
  const head = before === '' ? [] : before.split(':');
  // An IPv4 address at the end stands for two groups.
  const tail = (after ?? '').split(':').flatMap((group) => (group.includes('.') ? ['v4', group] : [group]));
  if (tail.includes('v4') && head.length === 0) return tail.at(-1) as string;
  const missing = after === undefined ? 0 : 8 - head.length - (after === '' ? 0 : tail.length);
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/** Tells whether an address is in one of these networks. */
export function createNetworkList(networks: readonly string[]): (address: string) => boolean {
  const list = toBlockList(networks);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Whether a network, or an address, lies within one of the others. */
export const isWithin = (network: string, others: readonly string[]): boolean => {
  const [address = '', bits] = network.split('/');
  const bitsOf = (given: string | undefined) => Number(given ?? (isIPv6(address) ? 128 : 32));
  return others.some(
    (other) =>
      isIP(other.split('/')[0] ?? '') === isIP(address) &&
      bitsOf(other.split('/')[1]) <= bitsOf(bits) &&
      createNetworkList([other])(address),
  );
};

/** The private ranges that TRUST_PROXY may name, as the framework understands them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Tells whether an address is one of these proxies: networks, addresses and names, checked by the configuration. */
export function createTrust(proxies: readonly string[]): (address: string | undefined) => boolean {
  const contains = createNetworkList(proxies.flatMap((proxy) => NAMED[proxy] ?? [proxy]));
  return (address = '') => contains(address.split('%')[0] as string);
}
