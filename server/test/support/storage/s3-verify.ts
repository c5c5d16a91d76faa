// Verifies AWS Signature Version 4 as a server must, written from the specification and sharing nothing with the signer it
// is there to test: header signatures and presigned queries, with S3's own error codes.
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Identity {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Verified {
  path: string;
  query: ReadonlyMap<string, string>;
  /** Of the body, in hexadecimal; null where the signature leaves the body open. */
  payloadHash: string | null;
}

interface Claim {
  credential: string;
  time: string;
  signedHeaders: string;
  signature: string;
  payload: string;
}

const SKEW_MS = 15 * 60_000;
const mismatch = (why: string) =>
  new Refusal(403, 'SignatureDoesNotMatch', `The signature we calculated does not match: ${why}.`);

/**
 * `now` is the clock of the URLs. Header signatures are checked against the real time: the SDK that makes them has no
 * other.
 */
export function verify(request: IncomingMessage, identity: Identity, now: number): Verified {
  const target = request.url ?? '';
  const mark = target.indexOf('?');
  const path = decode(mark < 0 ? target : target.slice(0, mark));
  const pairs = parseQuery(mark < 0 ? '' : target.slice(mark + 1));
  const query = new Map(pairs);
  const headers = collectHeaders(request.rawHeaders);
  const authorization = headers.get('authorization');

  const inQuery = pairs.some(([name]) => /^x-amz-/i.test(name));
  if (inQuery && authorization !== undefined)
    throw new Refusal(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  if (!inQuery && authorization === undefined) throw new Refusal(403, 'AccessDenied', 'Access Denied');
  const claim = inQuery ? claimOfQuery(pairs, now) : claimOfHeaders(authorization as string, headers);
  checkCredential(claim, identity);

  const names = claim.signedHeaders.split(';');
  if (names.join(';') !== [...new Set(names)].sort().join(';') || !names.includes('host'))
    throw mismatch('the signed headers must be sorted, named once, and include host');
  for (const name of headers.keys())
    if (name.startsWith('x-amz-') && !names.includes(name))
      throw new Refusal(403, 'AccessDenied', `There were headers present which were not signed: ${name}`);
  const lines = names.map((name) => {
    const value = headers.get(name);
    if (value === undefined) throw mismatch(`the signed header ${name} was not sent`);
    return `${name}:${value}\n`;
  });

  const canonicalQuery = pairs
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const canonical = [
    request.method,
    path.split('/').map(encode).join('/'),
    canonicalQuery,
    lines.join(''),
    claim.signedHeaders,
    claim.payload,
  ].join('\n');
  if (signatureOf(canonical, claim, identity) !== claim.signature) throw mismatch('something was changed');
  return { path, query, payloadHash: /^[0-9a-f]{64}$/.test(claim.payload) ? claim.payload : null };
}

function claimOfQuery(pairs: [string, string][], now: number): Claim {
  const wrong = (why: string) => new Refusal(400, 'AuthorizationQueryParametersError', why);
  const read = (name: string): string => {
    const values = pairs.filter((pair) => pair[0] === name);
    if (values.length !== 1) throw wrong(`${name} must be given once`);
    return (values[0] as [string, string])[1];
  };
  if (read('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') throw wrong('X-Amz-Algorithm is not supported');
  const claim: Claim = {
    credential: read('X-Amz-Credential'),
    time: read('X-Amz-Date'),
    signedHeaders: read('X-Amz-SignedHeaders'),
    signature: read('X-Amz-Signature'),
    payload: 'UNSIGNED-PAYLOAD',
  };
  const lifetime = read('X-Amz-Expires');
  if (!/^\d{1,6}$/.test(lifetime) || Number(lifetime) < 1 || Number(lifetime) > 604_800)
    throw wrong('X-Amz-Expires must be a number of seconds, at most a week');
  const signedAt = parseTime(claim.time);
  if (signedAt > now + SKEW_MS) throw new Refusal(403, 'AccessDenied', 'Request is not valid yet');
  if (now > signedAt + Number(lifetime) * 1000) throw new Refusal(403, 'AccessDenied', 'Request has expired');
  return claim;
}

function claimOfHeaders(authorization: string, headers: ReadonlyMap<string, string>): Claim {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^, ]+), ?SignedHeaders=([^, ]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (!match) throw new Refusal(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed');
  const [, credential, signedHeaders, signature] = match as unknown as [string, string, string, string];
  const time = headers.get('x-amz-date') ?? '';
  const payload = headers.get('x-amz-content-sha256');
  if (payload === undefined) throw new Refusal(400, 'InvalidRequest', 'x-amz-content-sha256 is missing');
  if (payload !== 'UNSIGNED-PAYLOAD' && !/^[0-9a-f]{64}$/.test(payload))
    throw new Refusal(501, 'NotImplemented', 'This stand-in knows no signed chunks');
  if (Math.abs(parseTime(time) - Date.now()) > SKEW_MS)
    throw new Refusal(403, 'RequestTimeTooSkewed', 'The difference between the clocks is too large');
  return { credential, time, signedHeaders, signature, payload };
}

function checkCredential({ credential, time }: Claim, { accessKeyId, region }: Identity): void {
  const [id, ...scope] = credential.split('/');
  if (id !== accessKeyId) throw new Refusal(403, 'InvalidAccessKeyId', 'There is no such access key');
  if (scope.join('/') !== `${time.slice(0, 8)}/${region}/s3/aws4_request`)
    throw new Refusal(400, 'AuthorizationQueryParametersError', 'The credential is of another scope');
}

export function signatureOf(
  canonical: string,
  { time }: { time: string },
  { secretAccessKey, region }: Identity,
): string {
  const day = time.slice(0, 8);
  const hashed = createHash('sha256').update(canonical).digest('hex');
  let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`);
  for (const part of [day, region, 's3', 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${hashed}`;
  return createHmac('sha256', key).update(text).digest('hex');
}

function parseTime(text: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  const at = match
    ? Date.parse(`${match.slice(1, 4).join('-')}T${match.slice(4, 7).join(':')}Z`)
    : Number.NaN;
  if (Number.isNaN(at)) throw new Refusal(403, 'AccessDenied', 'A valid X-Amz-Date is needed');
  return at;
}

/** Names in lower case; values trimmed, their spaces collapsed, several of one name joined. */
function collectHeaders(raw: string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const value = (raw[i + 1] as string).trim().replace(/ +/g, ' ');
    headers.set(name, headers.has(name) ? `${headers.get(name)},${value}` : value);
  }
  return headers;
}

function parseQuery(text: string): [string, string][] {
  const parts = text.split('&').filter((part) => part !== '');
  return parts.map((part) => {
    const [name, ...value] = part.replaceAll('+', ' ').split('=');
    return [decode(name as string), decode(value.join('='))];
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal(400, 'InvalidURI', "Couldn't parse the specified URI.");
  }
}

const encode = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
