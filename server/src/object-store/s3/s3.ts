// The object store on S3 and compatible servers.
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { ConfigError, type S3Config } from '../../config/config.js';
import type { Clock } from '../../core/clock.js';
import { contentTypeOf, type ObjectStore, type StoredObject, validateObjectKey } from '../object-store.js';
import { addressSigner } from './addresses.js';
import { createS3Parts, decodeKey, receiveInParts } from './s3-parts.js';

const CONNECT_MS = 3_000;
const ANSWER_MS = 10_000;
/** The time limit of a copy: some servers send nothing until a copy of gigabytes is done. */
const COPY_MS = 300_000;

export async function openS3Store(config: S3Config, clock: Clock): Promise<ObjectStore> {
  // Loaded only here: the SDK takes 0.3 to 0.6 s, which a process that stores files on disk need not spend.
  const sdk = await import('@aws-sdk/client-s3');
  const endpoint = config.endpoint ?? `https://s3.${config.region}.amazonaws.com`;
  const clientWaiting = (answerMs: number): S3Client =>
    new sdk.S3Client({
      endpoint,
      region: config.region,
      credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
      forcePathStyle: config.forcePathStyle,
      // Many servers do not support the newer checksums; the connection and the signature protect the bytes.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 3,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: answerMs,
        // Without this, a request that takes too long is only logged.
        throwOnRequestTimeout: true,
        socketTimeout: answerMs,
      },
    });
  const client = clientWaiting(ANSWER_MS);
  const copyClient = clientWaiting(COPY_MS);
  const at = (key: string) => ({ Bucket: config.bucket, Key: validateObjectKey(key) });

  async function find(key: string): Promise<StoredObject | null> {
    try {
      const head = await client.send(new sdk.HeadObjectCommand(at(key)));
      return {
        key,
        size: head.ContentLength ?? 0,
        storedAt: head.LastModified?.getTime() ?? 0,
        version: head.ETag ?? '',
      };
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  async function remove(key: string): Promise<void> {
    try {
      await client.send(new sdk.DeleteObjectCommand(at(key)));
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  }

  async function put(key: string, Body: Buffer, IfNoneMatch?: '*'): Promise<void> {
    const object = { ...at(key), Body, ContentLength: Body.length, ContentType: contentTypeOf(key) };
    const condition = IfNoneMatch ? { IfNoneMatch } : {};
    await client.send(new sdk.PutObjectCommand({ ...object, ...condition }));
  }

  /** The bytes, or null if the object has none in this range. */
  async function fetchBytes(key: string, Range: string | null, version = ''): Promise<Readable | null> {
    const range = Range ? { Range } : {};
    const condition = version === '' ? {} : { IfMatch: version };
    try {
      const reply = await client.send(new sdk.GetObjectCommand({ ...at(key), ...range, ...condition }));
      return reply.Body as Readable;
    } catch (error) {
      const status = statusOf(error);
      if (Range && status === 416) return null;
      if (status === 412) throw new Error(`${key} has changed since it was found`, { cause: error });
      throw error;
    }
  }

  async function copyTo(to: string, from: string, version = ''): Promise<void> {
    await copyClient.send(
      new sdk.CopyObjectCommand({
        ...at(to),
        CopySource: `${config.bucket}/${validateObjectKey(from)}`,
        // Drops all metadata that the client sent with its file.
        MetadataDirective: 'REPLACE',
        ContentType: contentTypeOf(to),
        ...(version === '' ? {} : { CopySourceIfMatch: version }),
      }),
    );
  }

  return {
    kind: 's3',
    isDiskFull: async () => false,
    parts: createS3Parts({
      sdk,
      client,
      patientClient: copyClient,
      bucket: config.bucket,
      at,
      find,
      statusOf,
    }),
    async check() {
      await client.send(new sdk.HeadBucketCommand({ Bucket: config.bucket })).catch(throwBucketError);
    },
    ...addressSigner(config, endpoint, clock),
    find,
    remove,

    async read(key, { start, end, version } = { start: 0 }) {
      // An empty range cannot be requested: servers answer a reversed one with the whole object.
      const nothing = end !== undefined && end <= start;
      const range =
        start === 0 && end === undefined ? null : `bytes=${start}-${end === undefined ? '' : end - 1}`;
      const bytes = nothing ? null : await fetchBytes(key, range, version);
      if (bytes) return bytes;
      if (!(await find(key))) throw new Error(`the object ${key} does not exist`);
      return Readable.from([]);
    },

    receive: (key, body) => receiveInParts(sdk, client, at(key), contentTypeOf(key), body),

    async storeDurably(key, body) {
      if (await find(key)) return;
      await receiveInParts(sdk, client, at(key), contentTypeOf(key), body);
    },

    async write(key, bytes) {
      // Checked beforehand too: not every server honours the condition.
      if (await find(key)) return;
      try {
        await put(key, bytes, '*');
      } catch (error) {
        const status = statusOf(error);
        if (status === 412 || (status === 409 && (await find(key)))) return;
        if (status !== 501) throw error;
        await put(key, bytes);
      }
    },

    async load(key) {
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand(at(key)));
        return Body ? Buffer.from(await Body.transformToByteArray()) : Buffer.alloc(0);
      } catch (error) {
        // Only the store's own word counts: a proxy in front of it, or a wrong bucket, says 404 as well.
        if (error instanceof sdk.NoSuchKey) return null;
        throw error;
      }
    },

    replace: (key, bytes) => put(key, bytes),

    async move(from, to) {
      const source = validateObjectKey(from.key);
      const there = await find(to);
      if (there && (there.size !== from.size || there.version !== from.version))
        throw new Error(`${from.key} cannot be moved: another object exists at ${to}`);
      if (there) return remove(from.key);
      try {
        await copyTo(to, source, from.version);
      } catch (error) {
        const status = statusOf(error);
        if (status !== 404 && status !== 412) throw error;
        // An earlier attempt may have completed the copy; since then the source may be gone or, while its upload URL is
        // valid, may have been overwritten.
        const there = await find(to);
        const copied = there?.size === from.size && (status === 404 || there.version === from.version);
        if (!copied)
          throw new Error(
            status === 404
              ? `${from.key} cannot be moved: it does not exist`
              : `${from.key} cannot be moved: it has changed since it was found`,
            { cause: error },
          );
      }
      await remove(from.key);
    },

    async copy(from, to) {
      const source = validateObjectKey(from);
      if (await find(to)) return;
      await copyTo(to, source).catch((error) => {
        if (statusOf(error) !== 404) throw error;
        throw new Error(`${from} cannot be copied: it does not exist`, { cause: error });
      });
    },

    async *list() {
      let token: string | undefined;
      do {
        const page = await client.send(
          new sdk.ListObjectsV2Command({
            Bucket: config.bucket,
            // Foreign keys may contain characters that XML cannot represent.
            EncodingType: 'url',
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        );
        for (const { Key, Size, LastModified, ETag } of page.Contents ?? [])
          if (Key !== undefined)
            yield {
              key: decodeKey(Key),
              size: Size ?? 0,
              storedAt: LastModified?.getTime() ?? 0,
              version: ETag ?? '',
            };
        token = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },

    // A broken upload never becomes an object, and leaves nothing to list.
    removeTemporaryFiles: async () => {},
  };
}

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;

function throwBucketError(error: unknown): never {
  const status = statusOf(error);
  if (status === 301) throw new ConfigError(['S3_REGION is not the region of S3_BUCKET.']);
  if (status === 404) throw new ConfigError(['S3_BUCKET names a bucket that does not exist.']);
  if (status === 401 || status === 403 || status === 400)
    throw new ConfigError([
      'The S3 server refuses access. Check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION, and the permissions on S3_BUCKET.',
    ]);
  throw error;
}
