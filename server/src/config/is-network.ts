import { isIP } from 'node:net';

/** A network such as 10.0.0.0/8, or a single address. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  // A zone, as in fe80::1%eth0, belongs to one machine.
  if (version === 0 || rest.length > 0 || address.includes('%')) return false;
  const maxBits = version === 4 ? 32 : 128;
  // A /0 would be every address.
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= maxBits);
}
