// Files of this computer, sent one after another, with a bar that shows how far each has come.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { AirdateError, type Post } from '@airdate/sdk';
import type { Context } from './context.js';
import { EXIT, ExitError, usage } from './exit.js';
import { isVideo, type MediaType, typeByName } from './media-types.js';
import { sizeText } from './size.js';

const BAR_WIDTH = 30;
const BACK = '\r\u001b[K';

export interface FileOptions {
  filename?: string;
  contentType?: MediaType;
  replace?: boolean;
  resume?: string;
}

export function assertFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw usage(`There is no file ${file}.`);
  if (found.isDirectory()) throw usage(`${file} is a folder. Name its files.`);
}

/** Before anything is sent or created: whether each file is there, and of which type it is. */
export function checkFiles(files: readonly string[], { filename, contentType }: FileOptions = {}): void {
  for (const file of files) {
    if (file !== '-') assertFile(file);
    if (contentType === undefined && typeByName(filename ?? file) === undefined)
      throw usage(
        `The name of ${filename ?? file} does not tell its type. Say which it is: airdate upload <post> ${file} --content-type image/png`,
      );
  }
}

type PostType = Post['post_type'];

/** The type of a post with these files, before there is one: otherwise each try would leave a draft. */
export function postTypeFor(files: readonly string[], given: PostType | undefined): PostType | undefined {
  const video = files.find((file) => isVideo(typeByName(file)));
  const slide = files.find((file) => !isVideo(typeByName(file)));
  if (given === 'slides' && video !== undefined)
    throw usage(`${video} is a video, and slides are PNG or JPEG. A post with one video has --type video.`);
  if (given === 'video' && slide !== undefined)
    throw usage(`${slide} is no video, but MP4, MOV or WebM is. A post with pictures has --type slides.`);
  if (video !== undefined && slide !== undefined)
    throw usage(`A post has slides or one video, not both: ${video} needs a post of its own.`);
  if (video !== undefined && files.length > 1)
    throw usage(`A post has one video, not ${files.length}: create a post for each.`);
  return given ?? (video === undefined ? undefined : 'video');
}

export async function sendFiles(
  { airdate, output, signal }: Context,
  postId: string,
  files: readonly string[],
  { filename, contentType, replace, resume }: FileOptions = {},
): Promise<void> {
  for (const file of files) {
    const bar = progressBar(filename ?? basename(file), output.isQuiet);
    let uploadId = resume;
    try {
      const asset = await airdate.posts.upload(postId, file === '-' ? process.stdin : file, {
        signal,
        onProgress: bar.show,
        onUploadId: (id) => {
          uploadId = id;
        },
        filename,
        contentType,
        replace,
        resume,
      });
      bar.end();
      // Signed addresses are long, and a terminal’s history is no place for what opens the file without a key.
      const { url: _url, thumbnail_url: _thumbnail, ...shown } = asset;
      output.object(output.isJson ? asset : shown);
    } catch (error) {
      bar.end();
      if (uploadId !== undefined && file !== '-')
        output.say(`Continue with: airdate upload ${postId} '${file}' --resume ${uploadId}`);
      const refusal = error instanceof AirdateError ? error.of('content_type') : undefined;
      // The type was read off the name of the file, so there is no flag to name.
      if (refusal !== undefined && contentType === undefined)
        throw new ExitError(EXIT.refused, `The type of ${file} ${refusal}.`);
      throw error;
    }
  }
}

/** A bar on stderr, if a person watches. */
function progressBar(title: string, isQuiet: boolean) {
  if (isQuiet || process.stderr.isTTY !== true) return { show: () => {}, end: () => {} };
  let last = '';
  return {
    show({ sent, total }: { sent: number; total: number }) {
      const part = total === 0 ? 1 : Math.min(1, sent / total);
      const full = Math.round(part * BAR_WIDTH);
      const bar = '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
      const text = `${bar} ${String(Math.floor(part * 100)).padStart(3)} %  ${sizeText(sent)} of ${sizeText(total)}  ${title}`;
      if (text !== last) process.stderr.write(BACK + text.slice(0, (process.stderr.columns || 80) - 1));
      last = text;
    },
    end() {
      if (last !== '') process.stderr.write(BACK);
    },
  };
}
