// Uploads in parts on S3: its multipart uploads.

import type { Readable } from 'node:stream';
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import { contentTypeOf, type PartStore, type PartUpload, type StoredObject } from '../object-store.js';

interface Bucket {
  sdk: typeof import('@aws-sdk/client-s3');
  client: S3Client;
  /** Waits longer: some servers copy all bytes when they join parts. */
  patientClient: S3Client;
  bucket: string;
  at(key: string): { Bucket: string; Key: string };
  find(key: string): Promise<StoredObject | null>;
  statusOf(error: unknown): number | undefined;
}

interface Part {
  number: number;
  length: number;
  etag: string;
}

export function createS3Parts(given: Bucket): PartStore {
  const { sdk, client, patientClient, bucket, at, find, statusOf } = given;

  /** Null if there is no such upload. */
  async function listParts({ key, id }: PartUpload): Promise<Part[] | null> {
    const parts: Part[] = [];
    let after: string | undefined;
    try {
      do {
        const marker = after === undefined ? {} : { PartNumberMarker: after };
        const page = await client.send(new sdk.ListPartsCommand({ ...at(key), UploadId: id, ...marker }));
        for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? [])
          parts.push({ number: PartNumber, length: Size, etag: ETag });
        after = page.IsTruncated ? page.NextPartNumberMarker : undefined;
      } while (after !== undefined);
      return parts;
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  /** Uploads that were neither joined nor abandoned. */
  async function* open(prefix: string): AsyncIterable<{ key: string; id: string; storedAt: number }> {
    let after: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
    while (after) {
      const page: import('@aws-sdk/client-s3').ListMultipartUploadsCommandOutput = await client.send(
        new sdk.ListMultipartUploadsCommand({
          Bucket: bucket,
          EncodingType: 'url',
          ...(prefix === '' ? {} : { Prefix: prefix }),
          ...after,
        }),
      );
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (Key !== undefined && UploadId !== undefined)
          yield { key: decodeKey(Key), id: UploadId, storedAt: Initiated?.getTime() ?? 0 };
      after = page.IsTruncated
        ? { KeyMarker: decodeKey(page.NextKeyMarker ?? ''), UploadIdMarker: page.NextUploadIdMarker ?? '' }
        : null;
    }
  }

  return {
    async begin(key) {
      const { UploadId } = await client.send(
        new sdk.CreateMultipartUploadCommand({ ...at(key), ContentType: contentTypeOf(key) }),
      );
      if (UploadId === undefined) throw new Error('the S3 server began an upload in parts without an id');
      return { key, id: UploadId };
    },

    async arrived(upload) {
      const parts = await listParts(upload);
      return parts && new Map(parts.map(({ number, length }) => [number, length]));
    },

    async join(upload, lengths) {
      const parts = await listParts(upload);
      const joinedBefore = async () => (await find(upload.key)) !== null;
      if (parts === null) {
        if (await joinedBefore()) return;
        throw new Error(`the parts of ${upload.key} are gone`);
      }
      const chosen = lengths.map((length, i) => {
        const part = parts.find(({ number }) => number === i + 1);
        if (part?.length === length) return { PartNumber: part.number, ETag: part.etag };
        throw new Error(`part ${i + 1} of ${upload.key} has ${part?.length ?? 0} bytes, not ${length}`);
      });
      try {
        await patientClient.send(
          new sdk.CompleteMultipartUploadCommand({
            ...at(upload.key),
            UploadId: upload.id,
            MultipartUpload: { Parts: chosen },
          }),
        );
      } catch (error) {
        // Another process was faster, or an answer was lost and the SDK asked again.
        if (statusOf(error) !== 404 || !(await joinedBefore())) throw error;
      }
    },

    async abandon(key) {
      const ids: string[] = [];
      try {
        for await (const upload of open(key)) if (upload.key === key) ids.push(upload.id);
      } catch (error) {
        // A server without lists of uploads, or no permission: that must not keep the object itself from being removed.
        if (statusOf(error) !== 501 && statusOf(error) !== 403) throw error;
      }
      for (const UploadId of ids)
        await client.send(new sdk.AbortMultipartUploadCommand({ ...at(key), UploadId })).catch((error) => {
          if (statusOf(error) !== 404) throw error;
        });
    },

    unfinished: () => open(''),
  };
}

export function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A slide is one part, and needs no second request. */
const PART_BYTES = 24 * 1024 * 1024;

type Sdk = typeof import('@aws-sdk/client-s3');

/** Stores a stream, in parts if it is long. If the stream fails, nothing is stored. */
export async function receiveInParts(
  sdk: Sdk,
  client: S3Client,
  at: { Bucket: string; Key: string },
  ContentType: string,
  body: Readable,
): Promise<void> {
  const parts = partsOf(body);
  const first = (await parts.next()).value ?? Buffer.alloc(0);
  if (first.length < PART_BYTES) {
    await client.send(
      new sdk.PutObjectCommand({ ...at, Body: first, ContentLength: first.length, ContentType }),
    );
    return;
  }
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ ...at, ContentType }));
  const upload = { ...at, UploadId };
  const done: CompletedPart[] = [];
  const send = async (Body: Buffer) => {
    const PartNumber = done.length + 1;
    const { ETag } = await client.send(
      new sdk.UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: Body.length }),
    );
    done.push({ PartNumber, ETag });
  };
  try {
    await send(first);
    for await (const part of parts) await send(part);
    await client.send(
      new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: done } }),
    );
  } catch (error) {
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}

/** The parts of the stream. All have the same length, but the last. */
async function* partsOf(body: Readable): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    while (size >= PART_BYTES) {
      const all = Buffer.concat(chunks);
      yield all.subarray(0, PART_BYTES);
      chunks = [all.subarray(PART_BYTES)];
      size -= PART_BYTES;
    }
  }
  if (size > 0) yield Buffer.concat(chunks);
}
