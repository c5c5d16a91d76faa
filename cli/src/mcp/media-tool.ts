// The one tool that differs here: it takes a path instead of returning an upload address.
import { createReadStream } from 'node:fs';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { type Airdate, AirdateError } from '@airdate/sdk';
import { type MediaFile, openMedia } from './file.js';
import type { Forwarder } from './forward.js';
import { failure, type Message, type Result, resultOf } from './messages.js';
import { invalid, invalidPath, problemOf, Refusal } from './problem.js';

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
    problem: {
      type: 'object',
      required: ['type', 'title', 'status', 'detail', 'code'],
      properties: {
        type: TEXT,
        title: TEXT,
        status: { type: 'integer' },
        detail: TEXT,
        code: TEXT,
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['pointer', 'message'],
            properties: { pointer: TEXT, message: TEXT },
          },
        },
        retry_after_seconds: { type: 'number' },
        request_id: TEXT,
      },
    },
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
    if (granted?.result?.isError) return aboutPath(granted, message, file);
    if (!granted?.result || typeof grant?.upload_url !== 'string') return granted;
    await put(grant.upload_url, file, signal);
    const asset = await airdate.posts.assets.complete(post_id, grant.object_key, {
      signal,
      timeout: INSPECTION_MS,
    });
    return { ...granted, result: { ...granted.result, ...resultOf(message, { data: asset }) } };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof Refusal) return failure(message, error.problem, error.next);
    if (error instanceof AirdateError && error.problem) return failure(message, error.problem);
    if (error instanceof AirdateError) {
      const code = error.code === 'unreachable' ? error.code : 'unexpected_response';
      return failure(message, problemOf(code, error.message), SEE_FILES);
    }
    return failure(message, problemOf('upload_failed', 'The file could not be sent. Nothing was added.'));
  }
}

const SEE_FILES = 'Call post_get to see which files the post has before you send this one again.';

function checked(input: unknown): { post_id: string; path: string; replace?: boolean } {
  const given = (input ?? {}) as Record<string, unknown>;
  const { post_id, path, replace = false, ...others } = given;
  if (typeof post_id === 'string' && typeof path === 'string' && typeof replace === 'boolean') {
    if (path.includes('\0')) throw invalidPath('must not contain the null character');
    if (Object.keys(others).length === 0) return { post_id, path, replace };
  }
  const wrong = (name: string, isRight: boolean, message: string) =>
    isRight ? [] : [{ pointer: `/${name}`, message }];
  const text = (name: string) =>
    wrong(
      name,
      typeof given[name] === 'string',
      given[name] === undefined ? 'is required' : 'must be a string',
    );
  throw new Refusal(
    invalid([
      ...text('post_id'),
      ...text('path'),
      ...wrong('replace', typeof replace === 'boolean', 'must be true or false'),
      ...Object.keys(others).flatMap((name) => wrong(name, false, 'is not a field of this request')),
    ]),
  );
}

/** What the service was told about the file came from its path, and that is all that an agent can change. */
const FROM_PATH: Record<string, (file: MediaFile) => string> = {
  '/content_type': ({ type }) => `names a file of type ${type}, which`,
  '/content_length': ({ size }) => `names a file of ${size} bytes, whose length`,
  '/filename': () => 'ends in a file name that',
};

/** A refusal of the service, in the words of this tool. */
function aboutPath(granted: Message, message: Message, file: MediaFile): Message {
  const { problem, next } = granted.result?.structuredContent ?? {};
  const errors: { pointer: string; message: string }[] = problem?.errors ?? [];
  if (!errors.some(({ pointer }) => pointer in FROM_PATH)) return granted;
  const { detail, errors: described } = invalid(
    errors.map((error) => {
      const begin = FROM_PATH[error.pointer]?.(file);
      return begin === undefined ? error : { pointer: '/path', message: `${begin} ${error.message}` };
    }),
  );
  return failure(message, { ...problem, detail, errors: described }, next);
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
