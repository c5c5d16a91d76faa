// Pages: escaping of all text not written here, one frame for all, and the two files they use.
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Platform } from './platform.js';

/** HTML that is safe to put into a page. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | Part[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] as string);

/** Escapes every inserted value, unless it is Html made here. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, string, i) => text + flatten(parts[i - 1] ?? null) + string));
}

function flatten(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(flatten).join('') : escapeHtml(String(part));
}

/** The path of the sandbox's own URL, for links between its pages. */
export const pathOf = ({ options }: Platform) => new URL(options.publicUrl()).pathname.replace(/\/$/, '');

/** `formTarget`: another origin that a form may redirect to; browsers check redirects after a form too. */
export function sendPage(
  platform: Platform,
  reply: FastifyReply,
  title: string,
  content: Html,
  formTarget = '',
) {
  const path = pathOf(platform);
  // Built into a service, it has the dashboard beside it.
  const back = platform.options.mounted ? html`<a class="back" href="/">← Back to Airdate</a>` : null;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${path}/page/sandbox.css">
<script src="${path}/page/sandbox.js" defer></script>
</head>
<body>
<header class="bar"><a href="${path}/">Sandbox</a><span>Nothing leaves this machine.</span>${back}</header>
<main>${content}</main>
</body>
</html>
`;
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'same-origin')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; form-action 'self' ${formTarget}; base-uri 'none'; frame-ancestors 'none'`,
    )
    .send(page.text);
}

const FILES = { 'sandbox.css': 'text/css', 'sandbox.js': 'text/javascript' };

/** These files are in the source folder: the compiler does not copy them. */
const fileOf = (name: string) => new URL(`../src/page/${name}`, import.meta.url);

export function pageFileRoutes(app: FastifyInstance): void {
  for (const [name, type] of Object.entries(FILES)) {
    const content = readFileSync(fileOf(name));
    app.get(`/page/${name}`, async (_request, reply) =>
      reply
        .header('content-type', `${type}; charset=utf-8`)
        .header('cache-control', 'no-cache')
        .send(content),
    );
  }
}
