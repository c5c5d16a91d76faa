// Who an address belongs to, for limits by address.
import { isIPv6 } from 'node:net';

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
