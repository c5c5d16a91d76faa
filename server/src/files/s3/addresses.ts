// Upload and download addresses of the S3 store: where an object lies there, and what its address binds.
import { isIP } from 'node:net';
import type { S3Config } from '../../config/config.js';
import type { Clock } from '../../ground/clock.js';
import { checkKey, contentTypeOf, type ObjectStore } from '../object-store.js';
import { type PresignRequest, presigner } from './sigv4.js';

export function addressSigner(
  config: S3Config,
  endpoint: string,
  clock: Clock,
): Pick<ObjectStore, 'signUpload' | 'signDownload'> {
  const presign = presigner(config);
  const { protocol, hostname, host: endpointHost, pathname } = new URL(endpoint);
  // As the SDK does: an IP address has no names below it, and a bucket with dots fits no certificate.
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
    // Both in whole seconds, as the protocol has it: the address ends with the second asked for, never later.
    const lifetimeSeconds = Math.floor(expiresAt / 1000) - Math.floor(at / 1000);
    const path = folder + checkKey(key);
    return `${protocol}//${host}${presign({ method, host, path, headers, query, at, lifetimeSeconds })}`;
  }

  return {
    // The protocol has no "at most": where no length was announced, whoever confirms the upload must look at its size.
    signUpload: ({ key, contentType, length, expiresAt }) =>
      sign(key, expiresAt, {
        method: 'PUT',
        headers: {
          'content-type': contentType,
          ...(length === null ? {} : { 'content-length': String(length) }),
        },
      }),

    // The server answers with these headers whatever the uploader said the file was: nothing is shown as a page.
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
