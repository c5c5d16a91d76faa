// The catalogue of errors: a page for each problem code, from the program's own table and the advice in docs/guides/errors.md.
import { PROBLEMS, type ProblemCode } from '@airdate/server/src/core/problems.js';
import { addressOf, type Page } from './contents.js';

/** Splits the page at its headings: the text before the first, and the text below each. */
function split(markdown: string): { start: string; advice: Map<string, string> } {
  const [start = '', ...parts] = markdown.split(/^## /m);
  return {
    start: start.trim(),
    advice: new Map(
      parts.map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end).trim(), part.slice(end).trim()];
      }),
    ),
  };
}

/** The list of all codes, and a page for each. Fails if the advice and the program's table differ. */
export function errorPages(overview: Page): Page[] {
  const { start, advice } = split(overview.markdown);
  const codes = Object.keys(PROBLEMS) as ProblemCode[];
  const missing = codes.filter((code) => !advice.has(code));
  const unknown = [...advice.keys()].filter((code) => !Object.hasOwn(PROBLEMS, code));
  if (missing.length > 0 || unknown.length > 0)
    throw new Error(`docs/guides/errors.md lacks ${missing}, and has no need of ${unknown}`);
  const rows = codes.map((code) => {
    const [status, title] = PROBLEMS[code];
    return `| [\`${code}\`](${addressOf(`errors/${code}`)}) | ${status} | ${title} |`;
  });
  const table = ['| Code | Status | Title |\n|---|---|---|', ...rows].join('\n');
  return [
    { ...overview, markdown: `${start}\n\n## All codes\n\n${table}` },
    ...codes.map((code): Page => {
      const [status, title] = PROBLEMS[code];
      return {
        slug: `errors/${code}`,
        title: code,
        summary: `${title} (${status}).`,
        group: overview.group,
        isUnlisted: true,
        ...(overview.source === undefined ? {} : { source: overview.source }),
        markdown: `**${status}** · ${title}.\n\n${advice.get(code)}\n\n[All errors](${addressOf('errors')})`,
      };
    }),
  ];
}
