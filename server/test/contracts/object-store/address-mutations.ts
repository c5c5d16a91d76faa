// Makes invalid URLs from a valid one: seeded, so that a failure can be repeated.

export interface Mutant {
  kind: string;
  method: string;
  address: string;
}

export interface RightAddress {
  method: 'GET' | 'PUT';
  address: string;
  /** The URL of another object, as valid as this one. */
  other: string;
}

type Random = (below: number) => number;

/** Characters that may be sent in a URL. Not `#`: what follows it is never sent. */
const CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%&=+/?;:@!$'()*,";

const ADDED = [
  'x=1',
  'response-content-type=text%2Fhtml',
  'response-content-disposition=inline',
  'response-cache-control=public',
  'X-Amz-Expires=604800',
  'X-Amz-Security-Token=abc',
  'expires=4102444800',
  'length=1',
  'method=DELETE',
  'versionId=null',
  'uploads',
  'acl',
  'partNumber=1&uploadId=1',
];

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/** Each makes one change to the text of path or query; the meaning may stay the same (see `meaning`). */
const CHANGES: Record<string, (right: RightAddress, random: Random) => string> = {
  'a character replaced': ({ address }, random) =>
    at(address, random, (text, i) => text.slice(0, i) + anyCharacter(random) + text.slice(i + 1)),
  'a character inserted': ({ address }, random) =>
    at(address, random, (text, i) => text.slice(0, i) + anyCharacter(random) + text.slice(i)),
  'a character removed': ({ address }, random) =>
    at(address, random, (text, i) => text.slice(0, i) + text.slice(i + 1)),
  'a character doubled': ({ address }, random) =>
    at(address, random, (text, i) => text.slice(0, i) + text.slice(i, i + 1) + text.slice(i)),
  'the case of a letter changed': ({ address }, random) =>
    at(address, random, (text, i) => {
      const letter = text.slice(i, i + 1);
      const changed = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      return text.slice(0, i) + changed + text.slice(i + 1);
    }),
  'the end cut off': ({ address }, random) => {
    const folder = pathOf(address).lastIndexOf('/') + 1;
    return address.slice(0, folder + random(address.length - folder));
  },
  'a parameter removed': ({ address }, random) =>
    parameters(address, (all) => all.toSpliced(random(all.length), 1)),
  'a parameter doubled': ({ address }, random) =>
    parameters(address, (all) => all.toSpliced(random(all.length + 1), 0, all[random(all.length)] as string)),
  'a parameter given again with another value': ({ address }, random) =>
    parameters(address, (all) => {
      const one = (all[random(all.length)] as string).split('=')[0];
      return all.toSpliced(random(all.length + 1), 0, `${one}=${anyCharacter(random)}1`);
    }),
  'a parameter emptied': ({ address }, random) =>
    parameters(address, (all) => {
      const i = random(all.length);
      return all.with(i, `${(all[i] as string).split('=')[0]}=`);
    }),
  'the values of two parameters exchanged': ({ address }, random) =>
    parameters(address, (all) => {
      const [i, j] = [random(all.length), random(all.length)];
      const [a, b] = [(all[i] as string).split('='), (all[j] as string).split('=')];
      return all.with(i, `${a[0]}=${b[1]}`).with(j, `${b[0]}=${a[1]}`);
    }),
  'a parameter added': ({ address }, random) =>
    parameters(address, (all) =>
      all.toSpliced(random(all.length + 1), 0, ADDED[random(ADDED.length)] as string),
    ),
  'a number changed': ({ address }, random) =>
    parameters(address, (all) => {
      const numeric = all.flatMap((one, i) => (/=\d{1,14}$/.test(one) ? [i] : []));
      const i = numeric[random(numeric.length)];
      if (i === undefined) return all;
      const [name, value] = (all[i] as string).split('=');
      return all.with(i, `${name}=${Number(value) + 1 + random(5000)}`);
    }),
  'a parameter of another address': ({ address, other }, random) =>
    parameters(address, (all) => {
      const others = queryOf(other).split('&');
      const i = random(all.length);
      return all.with(i, others[i] as string);
    }),
  'the path of another address': ({ address, other }) => `${pathOf(other)}?${queryOf(address)}`,
  'a part added to the path': ({ address }, random) => {
    const added = ['/', '/x', '/..', '/.', '%00', '%2F..', '.html', '//', '%20'][random(9)];
    return `${pathOf(address)}${added}?${queryOf(address)}`;
  },
};

/** `count` invalid URLs, path and query only. Changes that keep the meaning are skipped and replaced. */
export function mutate(right: RightAddress, count: number, seed: number): Mutant[] {
  const random = seeded(seed);
  const kinds = [...Object.keys(CHANGES), 'another method'];
  const meant = meaning(right.address);
  const mutants: Mutant[] = [];
  for (let round = 0; mutants.length < count; round++) {
    const kind = kinds[round % kinds.length] as string;
    const change = CHANGES[kind];
    const others = METHODS.filter((one) => one !== right.method);
    const method = change ? right.method : (others[random(others.length)] as string);
    const address = change ? change(right, random) : right.address;
    // The root is no object: a server may answer there as it likes.
    if (change && (meaning(address) === meant || /^\/?(\?|$)/.test(address))) continue;
    mutants.push({ kind, method, address });
  }
  return mutants;
}

/**
 * The meaning of a URL, however it is written. Two URLs mean the same if their paths are equal once decoded
 * and their parameters are equal once decoded and put in order; `+` is a space in a query, `a` is `a=`, and nothing
 * between two `&` is nothing. Text that cannot be decoded means only itself.
 */
export function meaning(address: string, repeated: (pairs: string[]) => string[] = (pairs) => pairs): string {
  const pairs = queryOf(address)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name, ...value] = part.replaceAll('+', ' ').split('=');
      return JSON.stringify([decode(name as string), decode(value.join('='))]);
    });
  return JSON.stringify([decode(pathOf(address)), repeated(pairs).sort()]);
}

function decode(text: string): string | { undecodable: string } {
  try {
    return decodeURIComponent(text);
  } catch {
    return { undecodable: text };
  }
}

const pathOf = (address: string): string => address.split('?', 1)[0] as string;
const queryOf = (address: string): string => address.slice(pathOf(address).length + 1);
const anyCharacter = (random: Random): string => CHARACTERS.charAt(random(CHARACTERS.length));
const at = (text: string, random: Random, change: (text: string, i: number) => string): string =>
  change(text, random(text.length));
const parameters = (address: string, change: (all: string[]) => string[]): string =>
  `${pathOf(address)}?${change(queryOf(address).split('&')).join('&')}`;

/** mulberry32: small, and good enough to choose characters. */
function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}
