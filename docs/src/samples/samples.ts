// The request of an operation in three languages, as blocks of Markdown. `sample` makes them one box with a tab for each.
import type { Call } from './call.js';
import { curl } from './curl.js';
import { python } from './python.js';
import { typescript } from './typescript.js';

export const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  python: 'Python',
};

const WRITTEN: Readonly<Record<string, (call: Call) => string>> = { sh: curl, ts: typescript, python };

export const samplesOf = (call: Call): string =>
  Object.entries(WRITTEN)
    .map(([language, write]) => `\`\`\`${language} sample\n${write(call)}\n\`\`\``)
    .join('\n\n');
