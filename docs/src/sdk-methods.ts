// The methods of the SDK, as a table in its guide: one for each operation that has a method, linked to its section of the reference.
import { addressOf } from './contents.js';
import { anchorOf } from './markdown.js';
import type { OpenApi } from './open-api.js';
import { slugOf } from './reference.js';
import { methodFor } from './samples/typescript.js';

/** Where the table comes in the guide. */
const MARK = '<!-- methods -->';

export function withMethods(guide: string, { paths }: OpenApi): string {
  const rows = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, summary, tags: [tag = ''] }) => {
      const method = methodFor(operationId);
      const link = `${addressOf(slugOf(tag))}#${anchorOf(summary)}`;
      return method === undefined ? [] : [{ method, row: `| \`${method}\` | [${summary}](${link}) |` }];
    });
  const resourceOf = (method: string) => method.slice(0, method.lastIndexOf('.'));
  const resources = [...new Set(rows.map(({ method }) => resourceOf(method)))];
  const sorted = resources.flatMap((resource) =>
    rows.filter(({ method }) => resourceOf(method) === resource).map(({ row }) => row),
  );
  return guide.replace(MARK, () => ['| Method | What it does |\n|---|---|', ...sorted].join('\n'));
}
