// Signed upload and download URLs of the S3 store.
import { isIP } from 'node:net';
import type { S3Config } from '../../config/config.js';
import type { Clock } from '../../core/clock.js';
import { contentTypeOf, type ObjectStore, validateObjectKey } from '../object-store.js';
import { type PresignRequest, presigner } from './sigv4.js';

export function addressSigner(
  config: S3Config,
  endpoint: string,
  clock: Clock,
): Pick<ObjectStore, 'signUpload' | 'signPart' | 'signDownload'> {
  const presign = presigner(config);
  const { protocol, hostname, host: endpointHost, pathname } = new URL(endpoint);
  // Like the SDK: an IP address has no subdomains, and a bucket name with dots matches no certificate.
  const inPath =
    config.forcePathStyle ||
    isIP(hostname.replace(/[[\]]/g, '')) !== 0 ||
    !/^[a-z0-9-]+$/.test(config.bucket);
  const host = inPath ? endpointHost : `${config.bucket}.${endpointHost}`;
  const folder = pathname.replace(/\/+$/, '') + (inPath ? `/${config.bucket}/` : '/');

  function sign(
    key: string,
    expiresAt: number,
    { method, headers = {}, query = {} }: Pick<PresignRequest, 'method' | 'headers' | 'query'>,
  ) {
    const at = clock.now();
    // Both in whole seconds, as the protocol requires: the URL expires at the requested second, never later.
    const lifetimeSeconds = Math.floor(expiresAt / 1000) - Math.floor(at / 1000);
    const path = folder + validateObjectKey(key);
    return `${protocol}//${host}${presign({ method, host, path, headers, query, at, lifetimeSeconds })}`;
  }

  return {
    // The protocol has no maximum length: where none was announced, the confirmation must check the size.
    signUpload: ({ key, contentType, length, expiresAt }) =>
      sign(key, expiresAt, {
        method: 'PUT',
        headers: {
          'content-type': contentType,
          ...(length === null ? {} : { 'content-length': String(length) }),
        },
      }),

    signPart: ({ key, id }, { number, length, expiresAt }) =>
      sign(key, expiresAt, {
        method: 'PUT',
        headers: { 'content-length': String(length) },
        query: { partNumber: String(number), uploadId: id },
      }),

    // The store answers with these headers whatever type the uploader sent: nothing is rendered as a page.
    signDownload: (key, expiresAt) =>
      sign(key, expiresAt, {
        method: 'GET',
        query: {
          'response-content-disposition': `attachment; filename="${key.slice(key.lastIndexOf('/') + 1)}"`,
          'response-content-type': contentTypeOf(key),
        },
      }),
  };
}
