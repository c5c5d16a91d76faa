// URLs presigned with AWS Signature Version 4, signed in the query. Implemented here because every list of assets signs one
// URL per file: the SDK's presigner manages about 500 a second, this one tens of thousands.
import { createHmac, hash } from 'node:crypto';

export interface SigningIdentity {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

export interface PresignRequest {
  method: 'GET' | 'PUT';
  /** The host as the client will send it: with the port, unless it is the default one. */
  host: string;
  /** Absolute, already percent-encoded. */
  path: string;
  /** Headers the client must send with exactly these values, by lower-case name; `host` is added. */
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** The time of signing, in milliseconds. */
  at: number;
  lifetimeSeconds: number;
}

/** A week: the protocol's maximum. */
const MAX_LIFETIME = 604_800;

/** Signs with one identity. Returns the path and query, to be appended to the origin. */
export function presigner(identity: SigningIdentity): (request: PresignRequest) => string {
  const keyOfDay = signingKeys(identity);
  const secondOf = secondsOf(identity);

  return ({ method, host, path, headers = {}, query = {}, at, lifetimeSeconds }) => {
    if (!Number.isInteger(lifetimeSeconds) || lifetimeSeconds < 1 || lifetimeSeconds > MAX_LIFETIME)
      throw new RangeError(`a URL must be valid for 1 to ${MAX_LIFETIME} seconds, not ${lifetimeSeconds}`);
    const { time, day, scope, parameters } = secondOf(at);

    const sent: Record<string, string> = { ...headers, host };
    const names = Object.keys(sent).sort();
    const signedHeaders = names.join(';');
    const headerLines = names.map((name) => `${name}:${sent[name]}\n`).join('');

    const canonicalQuery = [
      ...parameters,
      `X-Amz-Expires=${lifetimeSeconds}`,
      `X-Amz-SignedHeaders=${encode(signedHeaders)}`,
      ...Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`),
    ]
      .sort()
      .join('&');

    const canonicalRequest = `${method}\n${path}\n${canonicalQuery}\n${headerLines}\n${signedHeaders}\nUNSIGNED-PAYLOAD`;
    const textToSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonicalRequest)}`;
    const signature = createHmac('sha256', keyOfDay(day)).update(textToSign).digest('hex');
    return `${path}?${canonicalQuery}&X-Amz-Signature=${signature}`;
  };
}

/** What all URLs signed within one second share: a list signs a hundred of them, and building text is most of the work. */
function secondsOf({ accessKeyId, region }: SigningIdentity) {
  const inSecond = (second: number) => {
    const time = `${new Date(second * 1000).toISOString().replace(/\.\d+Z$|[-:]/g, '')}Z`;
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/s3/aws4_request`;
    const parameters = [
      'X-Amz-Algorithm=AWS4-HMAC-SHA256',
      `X-Amz-Credential=${encode(`${accessKeyId}/${scope}`)}`,
      `X-Amz-Date=${time}`,
    ];
    return { second, time, day, scope, parameters };
  };
  let known = inSecond(0);
  return (at: number) => {
    const second = Math.floor(at / 1000);
    if (second !== known.second) known = inSecond(second);
    return known;
  };
}

/** Deriving the key takes four of a signature's five HMACs, and the result is the same all day. */
function signingKeys({ secretAccessKey, region }: SigningIdentity): (day: string) => Buffer {
  let known = { day: '', key: Buffer.alloc(0) };
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  return (day) => {
    if (day !== known.day) {
      const ofService = hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), 's3');
      known = { day, key: hmac(ofService, 'aws4_request') };
    }
    return known.key;
  };
}

/** Percent-encoding as the specification requires: everything but letters, digits and `-._~`. */
function encode(text: string): string {
  if (/^[\w.~-]*$/.test(text)) return text;
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
