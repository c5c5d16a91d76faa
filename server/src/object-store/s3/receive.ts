// Stores a stream of unknown length, which one PUT cannot: in parts, of which one at a time is in memory.
import type { Readable } from 'node:stream';
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';

/** A slide is one part, and needs no second request. */
const PART_BYTES = 24 * 1024 * 1024;

type Sdk = typeof import('@aws-sdk/client-s3');

/** Nothing is stored if the stream fails. */
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

/** All of the same length, but the last. */
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
