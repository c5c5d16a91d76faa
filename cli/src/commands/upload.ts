import type { Command } from 'commander';
import { action } from '../context.js';
import { usage } from '../exit.js';
import { type FileOptions, sendFiles } from '../upload-files.js';

export function addUpload(program: Command): void {
  program
    .command('upload')
    .description('add files to a post: slides in this order, or one video')
    .argument('<post>', 'id of the post')
    .argument('<file...>', 'paths; - is stdin')
    .option('--filename <name>', 'the name of what comes by stdin')
    .option('--replace', 'replace the video that is there')
    .option('--resume <upload>', 'continue an upload in parts that was cut off')
    .addHelpText(
      'after',
      '\nExamples:\n  $ airdate upload $ID 1.png 2.png 3.png\n  $ airdate upload $ID film.mp4 --replace',
    )
    .action(
      action(async (context, options: FileOptions, post: string, files: string[]) => {
        if (files.length > 1 && (options.resume || options.filename))
          throw usage('--resume and --filename are for one file.');
        if (files.includes('-') && !options.filename) throw usage('What comes by stdin needs --filename.');
        await sendFiles(context, post, files, options);
      }),
    );
}
