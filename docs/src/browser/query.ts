// What is searched for when a person asks in a whole sentence.

/** Words that say nothing about what is sought; most pages are about posts. */
const EMPTY = new Set(
  'a an and are at be by can could do does for from how i if in into is it its me mean means my of on or our post posts should that the there this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** What these pages call it. */
const ALSO: Readonly<Record<string, string>> = {
  auth: 'keys',
  authenticate: 'keys',
  authentication: 'keys',
  cancel: 'unschedule',
  edit: 'update',
  forget: 'forgot',
  forgotten: 'forgot',
  install: 'npm',
  log: 'sign',
  login: 'sign dashboard',
  mock: 'sandbox testing',
  payload: 'body',
  remove: 'delete',
  retries: 'retry',
  retry: 'retries',
  sse: 'stream',
  swagger: 'console openapi',
  timezone: 'zone',
  update: 'upgrade',
};

export function wordsOf(question: string): string {
  const words = question
    .toLowerCase()
    .split(/[^\p{L}\p{N}_:/.-]+/u)
    .filter(Boolean);
  const telling = words.filter((word) => !EMPTY.has(word));
  const sought = telling.length > 0 ? telling : words;
  return [...sought, ...sought.map((word) => (Object.hasOwn(ALSO, word) ? ALSO[word] : ''))]
    .filter(Boolean)
    .join(' ');
}

/**
 * A guide explains, the reference only lists: of two that fit, the guide comes first. What is written for an operator whose alarm has
 * gone off comes after what everyone else may mean by the same words.
 */
export function weightOf(id: string): number {
  if (id.startsWith('/docs/api/')) return 0.4;
  return id.startsWith('/docs/operations') ? 0.6 : 1;
}
