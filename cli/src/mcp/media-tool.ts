// The one tool that differs here: it takes a path instead of returning an upload address.
import { createReadStream } from 'node:fs';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { type Airdate, AirdateError } from '@airdate/sdk';
import { type MediaFile, NotMedia, openMedia } from './file.js';
import type { Forwarder } from './forward.js';
import { failure, type Message, type Result, resultOf } from './messages.js';

export const MEDIA_TOOL = 'post_media_from_file';

const DESCRIPTION =
  'Adds one file of this computer to a draft: path names it. Slides are PNG or JPEG, in the order of these calls; a post of type video has one video. Returns the file as the service has inspected it. Never invent a path.';

const inputFor = (folder: string | undefined) => ({
  type: 'object',
  required: ['post_id', 'path'],
  properties: {
    post_id: { type: 'string', description: 'Id of the post' },
    path: {
      type: 'string',
      description:
        folder === undefined
          ? 'Absolute path of the file'
          : `Path of the file in ${folder}, absolute or relative to that folder`,
    },
    replace: { type: 'boolean', description: 'Of a video: replaces the one that is there' },
  },
  additionalProperties: false,
});

const TEXT = { type: 'string' };

/** The file, or a problem: the shape that all tools of the service have. */
const OUTPUT = {
  type: 'object',
  properties: {
    data: {
      type: 'object',
      required: ['object_key', 'filename', 'content_type', 'position'],
      properties: {
        object_key: TEXT,
        filename: TEXT,
        content_type: TEXT,
        position: { type: 'integer' },
      },
    },
    problem: { type: 'object', required: ['code', 'detail'], properties: { code: TEXT, detail: TEXT } },
    next: TEXT,
  },
  oneOf: [{ required: ['data'] }, { required: ['problem'] }],
};

/** The list of tools, with this one as it is here. */
export const withPath = (result: Result, folder: string | undefined): Result => ({
  ...result,
  ...(result.tools
    ? {
        tools: result.tools.map((tool) =>
          tool.name === MEDIA_TOOL
            ? { ...tool, description: DESCRIPTION, inputSchema: inputFor(folder), outputSchema: OUTPUT }
            : tool,
        ),
      }
    : {}),
});

export interface MediaContext {
  forwarder: Forwarder;
  airdate: Airdate;
  folder: string | undefined;
}

/** Inspecting a long video takes a while. */
const INSPECTION_MS = 150_000;

export async function addMedia(
  { forwarder, airdate, folder }: MediaContext,
  message: Message,
  signal: AbortSignal,
): Promise<Message | undefined> {
  try {
    const { post_id, path, replace } = checked(message.params?.arguments);
    const file = await openMedia(path, folder);
    const { filename, type: content_type, size: content_length } = file;
    const args = { post_id, filename, content_type, content_length, ...(replace ? { replace } : {}) };
    const granted = await forwarder.send(
      { ...message, params: { ...message.params, arguments: args } },
      signal,
    );
    const grant = granted?.result?.structuredContent?.data;
    if (!granted?.result || granted.result.isError || typeof grant?.upload_url !== 'string') return granted;
    await put(grant.upload_url, file, signal);
    const asset = await airdate.posts.assets.complete(post_id, grant.object_key, {
      signal,
      timeout: INSPECTION_MS,
    });
    return { ...granted, result: { ...granted.result, ...resultOf(message, { data: asset }) } };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof AirdateError && error.problem) return failure(message, error.problem);
    if (error instanceof AirdateError) return failure(message, { code: error.code, detail: error.message });
    if (error instanceof NotMedia) return failure(message, { code: 'media_rejected', detail: error.message });
    return failure(message, {
      code: 'upload_failed',
      detail: 'The file could not be sent. Nothing was added.',
    });
  }
}

function checked(input: unknown): { post_id: string; path: string; replace?: boolean } {
  const { post_id, path, replace = false, ...others } = (input ?? {}) as Record<string, unknown>;
  if (typeof post_id !== 'string' || typeof path !== 'string' || typeof replace !== 'boolean')
    throw new NotMedia('post_id and path are needed, and replace is true or false.');
  if (path.includes('\0') || Object.keys(others).length > 0)
    throw new NotMedia('Only post_id, path and replace are taken.');
  return { post_id, path, replace };
}

/** `fetch` would send a file without its length, which a bucket refuses. */
function put(url: string, file: MediaFile, signal: AbortSignal): Promise<void> {
  const send = url.startsWith('https:') ? secure : plain;
  const headers = { 'content-type': file.type, 'content-length': file.size };
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method: 'PUT', headers, signal });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) response.once('end', resolve).once('error', reject);
      else reject(new Error(`HTTP ${statusCode}`));
    });
    pipeline(createReadStream(file.path), outgoing).catch(reject);
  });
}
