// Which addresses belong to the public internet. Everything else is ours, or our neighbours', and customers must not reach it
// through us.
import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose ranges, multicast and the reserved rest. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The only range of IPv6 that is routed in public; embedded and mapped IPv4 addresses are outside, but for 6to4 and Teredo. */
const PUBLIC_IPV6 = ['2000::/3'];
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const specialIpv4 = toBlockList(SPECIAL_IPV4);
const publicIpv6 = toBlockList(PUBLIC_IPV6);
const specialIpv6 = toBlockList(SPECIAL_IPV6);

export function isPublicAddress(address: string): boolean {
  // Addresses with a zone belong to one link.
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, 'ipv4');
    case 6:
      return publicIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Networks such as 10.0.0.0/8, or single addresses. */
export function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const isIpv4 = isIP(address) === 4;
    list.addSubnet(address, Number(bits ?? (isIpv4 ? 32 : 128)), isIpv4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
