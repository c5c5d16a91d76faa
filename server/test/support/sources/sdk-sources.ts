// The sources of the SDK as documentation: its methods, and the examples in their comments.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));
const SOURCES = join(ROOT, 'sdk/src');

export interface Example {
  /** Where it stands, such as `resources/posts.ts: upload`. */
  title: string;
  code: string;
}

const files = (readdirSync(SOURCES, { recursive: true }) as string[]).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.gen.ts'),
);

/** A comment, and the line that follows it. */
const COMMENT = /\/\*\*\n((?: *\*.*\n)+?) *\*\/\n *(.*)/g;
const NAME = /^(?:export )?(?:async )?(?:class |function |const )?(?:override )?(?:async )?\*?([A-Za-z]+)/;

export const examples: Example[] = files.flatMap((file) =>
  [...readFileSync(join(SOURCES, file), 'utf8').matchAll(COMMENT)].flatMap(([, comment = '', line = '']) => {
    const code = /```ts\n(.*)\n```/s.exec(comment.replace(/^ *\* ?/gm, ''))?.[1];
    if (!comment.includes('@example') || code === undefined) return [];
    return [{ title: `${file}: ${NAME.exec(line)?.[1]}`, code }];
  }),
);

/** Public methods of the classes of a file; what is private or only for subclasses has no example. */
const METHOD = /^ {2}(?:override )?(?:async )?\*?([a-z]\w*)(?:<.*)?\(/;
const LANGUAGE = ['constructor', 'then', 'catch', 'finally', 'if', 'for', 'of'];

export const methods: string[] = files
  .filter((file) => file.startsWith('resources/') || file === 'client.ts')
  .flatMap((file) =>
    readFileSync(join(SOURCES, file), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const name = METHOD.exec(line)?.[1];
        return name === undefined || LANGUAGE.includes(name) ? [] : [`${file}: ${name}`];
      }),
  );
