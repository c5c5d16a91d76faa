import { type Command, Option } from 'commander';
import { action } from '../context.js';
import { usage } from '../exit.js';
import { MEDIA_TYPES } from '../media-types.js';
import { checkFiles, type FileOptions, sendFiles } from '../upload-files.js';

export function addUpload(program: Command): void {
  program
    .command('upload')
    .description('add files to a post: slides in this order, or one video')
    .argument('<post>', 'id of the post')
    .argument('<file...>', 'paths; - is stdin')
    .option('--filename <name>', 'the name of the file; needed for stdin')
    .addOption(
      new Option(
        '--content-type <type>',
        'the type of the files; needed if their names do not end in .png, .jpg, .mp4, .mov or .webm',
      ).choices(MEDIA_TYPES),
    )
    .option('--replace', 'replace the existing video')
    .option('--resume <upload>', 'continue an interrupted upload in parts')
    .addHelpText(
      'after',
      `
Examples:
  $ airdate upload $ID 1.png 2.png 3.png
  $ airdate upload $ID film.mp4 --replace
  $ curl https://example.com/cover | airdate upload $ID - --filename cover --content-type image/png`,
    )
    .action(
      action(async (context, options: FileOptions, post: string, files: string[]) => {
        if (files.length > 1 && (options.resume || options.filename))
          throw usage('--resume and --filename are for one file.');
        if (files.includes('-') && !options.filename) throw usage('A file from stdin needs --filename.');
        if (!options.resume) checkFiles(files, options);
        await sendFiles(context, post, files, options);
      }),
    );
}
