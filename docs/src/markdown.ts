// Markdown to HTML: headings with anchors, links that lead to pages of the site, tables and code that scroll with the keyboard.
import { dirname, join } from 'node:path/posix';
import { Marked, type Token, type Tokens } from 'marked';
import { addressOf, SITE } from './contents.js';
import { boxesOf } from './samples/boxes.js';

export interface Section {
  /** Empty for what comes before the first heading. */
  anchor: string;
  heading: string;
  text: string;
}

export interface Rendered {
  html: string;
  sections: Section[];
  /** Where its links lead, as they are in the HTML. */
  links: string[];
}

/** Turns a link to a file of the repository into the address of its page; null if the site does not have it. */
export type Resolve = (file: string) => string | null;

export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A link as it stands in the Markdown of a page; null if it leads to a file that the site does not have. */
function targetOf(href: string, source: string | undefined, resolve: Resolve): string | null {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const page = resolve(join(dirname(source ?? '.'), path));
  return page && (anchor ? `${page}#${anchor}` : page);
}

export function render(markdown: string, source: string | undefined, resolve: Resolve): Rendered {
  const links: string[] = [];
  const used = new Map<string, number>();
  const anchors = new Map<Token, string>();
  const marked = new Marked();
  marked.use({
    renderer: {
      heading(token) {
        const { depth } = token;
        const anchor = anchors.get(token) ?? '';
        const inner = this.parser.parseInline(token.tokens);
        return `<h${depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="Link to this section: ${escapeHtml(plainText(token))}">#</a></h${depth}>\n`;
      },
      link(token) {
        const inner = this.parser.parseInline(token.tokens);
        const target = targetOf(token.href, source, resolve);
        if (target === null) return inner;
        links.push(target);
        return `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      code(token) {
        const [language = ''] = (token.lang ?? '').split(' ');
        const block = `<pre tabindex="0"><code${language && ` class="language-${escapeHtml(language)}"`}>${escapeHtml(token.text)}\n</code></pre>\n`;
        return boxes.get(token)?.(block) ?? block;
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row
            .map((cell) => this.parser.parseInline(cell.tokens))
            .map((inner, i) => `<${tag}>${i === 0 ? inner : withBreaks(inner)}</${tag}>`)
            .join('');
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>\n`).join('');
        return `<div class="table" tabindex="0"><table${isOfNames(token) ? ' class="names"' : ''}><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>\n${body}</tbody></table></div>\n`;
      },
      // The pages are our own, but what they quote must not become markup.
      html: ({ text }) => escapeHtml(text),
    },
  });
  const tokens = marked.lexer(markdown);
  const boxes = boxesOf(tokens);
  for (const token of tokens)
    if (token.type === 'heading') {
      const plain = anchorOf(plainText(token));
      const times = used.get(plain) ?? 0;
      used.set(plain, times + 1);
      anchors.set(token, times === 0 ? plain : `${plain}-${times}`);
    }
  return { html: marked.parser(tokens), sections: sectionsOf(tokens, anchors), links };
}

function sectionsOf(tokens: Token[], anchors: Map<Token, string>): Section[] {
  const sections: Section[] = [{ anchor: '', heading: '', text: '' }];
  for (const token of tokens)
    if (token.type === 'heading')
      sections.push({ anchor: anchors.get(token) ?? '', heading: plainText(token), text: '' });
    else if (!isGenerated(token)) (sections.at(-1) as Section).text += `${plainText(token)} `;
  return sections.filter(({ heading, text }) => heading !== '' || text.trim() !== '');
}

/** The header of a list of operations. */
export const OPERATIONS = 'Operation';

/**
 * Requests and responses of the reference: found by what is said about them, not by their words, which are much alike. A list of
 * operations says what each of them says again.
 */
const isGenerated = (token: Token): boolean =>
  (token.type === 'code' && /^\w+ (sample|response)$/.test((token as Tokens.Code).lang ?? '')) ||
  (token.type === 'table' && (token as Tokens.Table).header[0]?.text === OPERATIONS);

/** The words of a token, without its marks. */
export function plainText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows]
      .flat()
      .map(({ tokens }) => tokens.map(plainText).join(''))
      .join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(plainText).join(' ');
  const { tokens, text = '' } = token as { tokens?: Token[]; text?: string };
  return tokens ? tokens.map(plainText).join('') : text;
}

/** Its first column has names only, which need no more room than the longest. */
const isOfNames = ({ rows }: Tokens.Table): boolean =>
  rows.every(([first]) =>
    first?.tokens.every(({ type, raw }) => type === 'codespan' || /^[,\s]*$/.test(raw)),
  );

/** Long names and addresses in a cell may break, so that a table fits its page. */
const withBreaks = (html: string): string =>
  html.replaceAll(/<code>([^<]+)<\/code>/g, (_, text: string) => {
    return `<code>${text.replaceAll(/([_/,])(?=\w)/g, '$1<wbr>')}</code>`;
  });

/** Without what is said to the tests about each sample. */
export const withoutMarks = (markdown: string): string => markdown.replaceAll(/^(```\w+) .+$/gm, '$1');

/** The Markdown as it is served: its links lead to the Markdown of other pages. */
export function withAddresses(markdown: string, source: string | undefined, resolve: Resolve): string {
  return outsideCode(markdown, (text) =>
    text.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, label: string, href: string) => {
      const target = targetOf(href, source, resolve);
      if (target === null) return label;
      if (!isPage(target)) return target === href ? whole : `[${label}](${target})`;
      const [page = '', anchor] = target.split('#');
      return `[${label}](${page === SITE ? addressOf('index') : page}.md${anchor ? `#${anchor}` : ''})`;
    }),
  );
}

const isPage = (target: string) =>
  (target === SITE || target.startsWith(`${SITE}/`) || target.startsWith(`${SITE}#`)) &&
  !/\.\w+(#|$)/.test(target) &&
  !target.startsWith(`${SITE}/console`);

/** Changes the text between fenced blocks. */
const outsideCode = (markdown: string, change: (text: string) => string): string =>
  markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
