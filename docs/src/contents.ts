// The table of contents: which pages the site has, in which order.

export interface Page {
  /** Its address below /docs, without a slash at either end; empty for the first page. */
  slug: string;
  title: string;
  /** One sentence, for search engines and agents. */
  summary: string;
  /** Empty for a page outside the contents. */
  group: string;
  /** Without the heading, which is the title. */
  markdown: string;
  /** Its file in the repository, to which its links are relative; generated pages have none. */
  source?: string;
  /** Reached from another page of its group instead of the menu. */
  isUnlisted?: boolean;
}

export const SITE = '/docs';

export const addressOf = (slug: string): string => (slug === '' ? SITE : `${SITE}/${slug}`);

/** The pages that are written by hand: group, and the name of each file in docs/guides. */
export const GUIDES: readonly (readonly [group: string, slugs: readonly string[]])[] = [
  ['Start', ['index', 'quick-start', 'api-basics', 'testing']],
  ['Guides', ['connect', 'uploads', 'publishing', 'scheduling', 'unknown-outcomes', 'webhooks', 'import']],
  ['The API in detail', ['idempotency', 'pagination', 'rate-limits', 'versioning']],
  ['Programs and agents', ['cli', 'sdk', 'python', 'n8n', 'agents']],
  [
    'Running it',
    ['self-hosting', 'configuration', 'operations', 'scaling', 'backup', 'replication', 'people'],
  ],
];

/** Written pages that are not in docs/guides. */
const ELSEWHERE: Readonly<Record<string, string>> = { import: 'docs/import.md', changelog: 'CHANGELOG.md' };

export const sourceOf = (name: string): string => ELSEWHERE[name] ?? `docs/guides/${name}.md`;
