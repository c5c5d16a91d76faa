// What is searched for, and how it is found: in the browser, where the index is built, and in the tests.
import type MiniSearch from 'minisearch';
import type { Options, Query, SearchResult } from 'minisearch';

/**
 * A path with what stands before it, `--at`, or words joined by marks: what is sought as it is written. A sample that uses
 * a variable (`$AIRDATE_API_KEY`) says nothing about it.
 */
const NAMES =
  /(?<![\p{L}\p{N}])(?:(?:get|post|put|patch|delete)\s+)?\/[\p{L}\p{N}_{}:/-]+|(?<![\p{L}\p{N}])--[a-z][a-z-]*|(?<![\p{L}\p{N}_$])[\p{L}\p{N}]+(?:[-_.:/]+[\p{L}\p{N}]+)+/giu;
const WORD = /[\p{L}\p{N}]+/gu;

/** `POST /api/v1/posts/{id}`, `post /posts/:id` and `POST /posts/01890000…` are the same operation, and a path of its own. */
export const spelled = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\s+/, ' ')
    .replace(/^((?:\w+ )?)\/api\/v1(?=\/)/, '$1')
    .replaceAll(/\/(?::\w+|\{\w*\}|[\da-f-]{36})(?=\/|$)/g, '/{}')
    .replace(/[/:-]+$/, '');

/** Every word, and every name as a whole: `If-Match` is `if`, `match` and `if-match`. */
function tokensOf(text: string): string[] {
  const names = (text.match(NAMES) ?? []).map(spelled);
  const paths = names.filter((name) => name.includes(' ')).map((name) => name.slice(name.indexOf(' ') + 1));
  return [...(text.match(WORD) ?? []), ...names, ...paths];
}

export interface Entry {
  id: string;
  page: string;
  heading: string;
  text: string;
  start: string;
  /** `post /posts`, of a section that describes an operation. */
  request?: string;
}

export const OPTIONS: Options<Entry> = {
  fields: ['page', 'heading', 'text'],
  storeFields: ['page', 'heading', 'start', 'request'],
  tokenize: tokensOf,
  searchOptions: { boost: { page: 3, heading: 4 }, prefix: true, fuzzy: 0.15 },
};

/** Words that say nothing about what is sought; most pages are about posts. */
const EMPTY = new Set(
  'a an and are at be by can could do does for from how i if in into is it its me mean means my of on or our post posts should that the there this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** What these pages call it. */
const ALSO: Readonly<Record<string, string>> = {
  auth: 'bearer keys',
  authenticate: 'bearer keys',
  authentication: 'bearer keys',
  cancel: 'unschedule',
  edit: 'update',
  forget: 'forgot',
  forgotten: 'forgot',
  image: 'slide',
  install: 'npm',
  log: 'sign',
  login: 'sign dashboard',
  mock: 'sandbox testing',
  payload: 'body',
  photo: 'slide',
  remove: 'delete',
  removing: 'remove',
  retries: 'retry',
  retry: 'retries',
  slide: 'file',
  sse: 'stream',
  swagger: 'console openapi',
  timezone: 'zone',
  update: 'upgrade',
};

/** Questions whose words would lead elsewhere. */
const PHRASES: readonly (readonly [asked: RegExp, sought: string])[] = [
  [/\b(get(ting)? started|first steps|tutorial|hello world)\b/gi, 'quick start'],
  // Otherwise the deletion of posts comes first, although a file was named.
  [
    /\b(delete|remove|removing)( an?| the| one)? (file|image|photo|picture|slide|video)s?\b/gi,
    'removing file',
  ],
];

const asWritten = { tokenize: (name: string) => [name], fuzzy: false as const };
/** A whole name says more than its words. */
const NAME_BOOST = 4;

/** Each part of a question as a query of its own. */
function partsOf(question: string): Query[] {
  const asked = PHRASES.reduce((text, [phrase, sought]) => text.replaceAll(phrase, sought), question);
  const names = asked.match(NAMES) ?? [];
  const words = asked.replaceAll(NAMES, ' ').toLowerCase().match(WORD) ?? [];
  const isOnly = words.length + names.length < 2;
  // The name of the product is on every page.
  const named = words.filter((word) => isOnly || word !== 'airdate');
  const telling = named.filter((word) => !EMPTY.has(word));
  return [
    ...names.map((name): Query => {
      const inside = (name.match(WORD) ?? []).filter((word) => !EMPTY.has(word.toLowerCase()));
      return {
        combineWith: 'OR',
        queries: [
          { ...asWritten, boostTerm: () => NAME_BOOST, queries: [spelled(name)] },
          ...(inside.length > 0 ? [{ combineWith: 'AND' as const, queries: inside }] : []),
        ],
      };
    }),
    ...(telling.length + names.length > 0 ? telling : named).map((word): Query => {
      const also = Object.hasOwn(ALSO, word) ? (ALSO[word] as string).split(' ') : [];
      return { combineWith: 'OR', queries: [word, ...also] };
    }),
  ];
}

/**
 * A guide explains, the reference only lists: of two that fit, the guide comes first. What is written for an operator whose alarm has
 * gone off, or for a program that was refused, comes after what everyone else may mean by the same words, and what changed in the past is rarely what a question is about.
 */
function weightOf(id: string): number {
  if (id.startsWith('/docs/changelog/')) return 0.15;
  if (/^\/docs\/(api|commands)\b/.test(id)) return 0.4;
  return /^\/docs\/(errors\/|operations)/.test(id) ? 0.6 : 1;
}

const plain = (text: string): string => (text.toLowerCase().match(WORD) ?? []).join(' ');
const withoutProduct = (text: string): string => plain(text).replace(/^airdate /, '');

/** A section about just what was asked for: an operation, a command, a page, an error. */
function fitOf(question: string, { page, heading, request }: Partial<Entry>): number {
  const asked = spelled(question.trim());
  if (request && (request === asked || request.endsWith(` ${asked}`))) return 200;
  const title = heading || page || '';
  if (plain(title) === plain(question)) return 20;
  return withoutProduct(title) === withoutProduct(question) ? 8 : 1;
}

/** Best first: what has every part of the question comes before what has some. */
export function find(index: MiniSearch<Entry>, question: string): (SearchResult & Entry)[] {
  const parts = partsOf(question);
  const search = (combineWith: 'AND' | 'OR') =>
    index.search(
      { combineWith, queries: parts },
      {
        boostDocument: (id, _term, entry) => weightOf(id) * fitOf(question, entry ?? {}),
      },
    ) as (SearchResult & Entry)[];
  if (parts.length === 0) return [];
  const all = search('AND');
  const known = new Set(all.map(({ id }) => id));
  return [...all, ...(parts.length > 1 ? search('OR').filter(({ id }) => !known.has(id)) : [])];
}
