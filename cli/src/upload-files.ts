// Files of this computer, sent one after another, with a bar that shows how far each has come.
import { basename } from 'node:path';
import type { Context } from './context.js';
import { progressBar } from './progress.js';

export interface FileOptions {
  filename?: string;
  replace?: boolean;
  resume?: string;
}

export async function sendFiles(
  { airdate, output, signal }: Context,
  postId: string,
  files: readonly string[],
  { filename, replace, resume }: FileOptions = {},
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
        replace,
        resume,
      });
      bar.end();
      output.object(asset);
    } catch (error) {
      bar.end();
      if (uploadId !== undefined && file !== '-')
        output.say(`Continue with: airdate upload ${postId} '${file}' --resume ${uploadId}`);
      throw error;
    }
  }
}
