// The index of the posts' text on SQLite: FTS5 with the trigram tokenizer.
//
// One trigram is looked up, the rarest, and the text of its posts is compared. FTS5 could look up several together, but where two
// do not meet it reads both lists to their end, across all organizations, in one step that nothing can stop: 40 ms at 400,000
// posts. The list of one trigram is read from any position, and exactly as far as it is asked for.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.js';
import type { Lookup, PostSearchIndex } from '../post-index.js';
import { prepareRead } from '../prepared-statements.js';

/** How many trigrams are compared to find a rare one. */
const MAX_TRIGRAMS = 12;

/** A trigram that fewer posts of the organization have is rare enough. */
const FEW = 200;

/** The entries of an organization begin at its number times this; see migrations/first-schema/search.ts. */
const ENTRIES = 2 ** 32;

/** The driver binds numbers as floating point, and FTS5 ignores a limit that is no integer. */
const integer = (n: number): RawBuilder<number> => sql`cast(${n} as integer)`;

export const sqliteIndex: PostSearchIndex = {
  searchableWords: async ({ words }) => words.filter((word) => trigramsOf(word).length > 0),

  async *pages(lookup) {
    yield* pendingPages(lookup);
    const first = await firstEntry(lookup);
    if (first !== null) yield* entryPages(lookup, first, await rarest(lookup, first));
  },
};

/** Posts that the index does not know yet, or knows with another text: few, unless many were written lately. */
async function* pendingPages({ read, run, orgId, size }: Lookup): AsyncIterable<string[]> {
  const ask = prepareRead((read, before: number) =>
    read
      .selectFrom('post_search_pending as pending')
      .innerJoin('post_search', 'post_search.n', 'pending.n')
      .select(['pending.n', 'post_search.post_id'])
      .where('pending.org_id', '=', orgId)
      .where('pending.n', '<', before)
      .orderBy('pending.n', 'desc')
      .limit(size),
  );
  for (let before = ENTRIES; ; ) {
    const from = before;
    const rows = await run(() => ask(read, from));
    yield rows.map(({ post_id }) => post_id);
    if (rows.length < size) return;
    before = Math.min(...rows.map(({ n }) => n));
  }
}

/** Where the entries of the organization begin; null if it has none. */
async function firstEntry({ read, run, orgId }: Lookup): Promise<number | null> {
  const query = read.selectFrom('post_search_organizations').select('number').where('org_id', '=', orgId);
  const organization = await run(() => query.executeTakeFirst());
  return organization ? organization.number * ENTRIES : null;
}

async function* entryPages(
  { read, run, size }: Lookup,
  first: number,
  trigram: string,
): AsyncIterable<string[]> {
  // An entry whose post has been deleted has no text any more.
  const phrase = phraseOf(trigram);
  const ask = prepareRead((read, before: number) =>
    read
      .selectFrom(entries(read, phrase, first, before).limit(size).as('page'))
      .leftJoin('post_search', (join) =>
        join.on((eb) => eb('post_search.n', '=', eb('page.rowid', '-', integer(first)))),
      )
      .select(['page.rowid', 'post_search.post_id']),
  );
  for (let before = first + ENTRIES; ; ) {
    const from = before;
    const rows = await run(() => ask(read, from));
    yield rows.map(({ post_id }) => post_id).filter((id) => id !== null);
    if (rows.length < size) return;
    before = Math.min(...rows.map(({ rowid }) => rowid));
  }
}

/** How a query of FTS5 names a trigram. */
const phraseOf = (trigram: string) => `"${trigram.replaceAll('"', '""')}"`;

/** The posts of the organization that have the trigram, newest first. */
const entries = (read: Reader, phrase: string, first: number, before: number) =>
  read
    .selectFrom('post_search_fts')
    .select('rowid')
    .where(sql<boolean>`post_search_fts match ${phrase}`)
    .where('rowid', '>=', integer(first))
    .where('rowid', '<', integer(before))
    .orderBy('rowid', 'desc');

/** The trigram whose newest posts reach furthest back. */
async function rarest({ read, run, words }: Lookup, first: number): Promise<string> {
  const all = [...new Set(words.flatMap(trigramsOf))];
  const step = Math.max(1, all.length / MAX_TRIGRAMS);
  const ask = prepareRead((read, phrase: string) =>
    entries(read, phrase, first, first + ENTRIES)
      .limit(1)
      .offset(FEW - 1),
  );
  let best = { trigram: all[0] as string, reach: Number.POSITIVE_INFINITY };
  for (let i = 0; i < all.length; i += step) {
    const trigram = all[Math.floor(i)] as string;
    const [last] = await run(() => ask(read, phraseOf(trigram)));
    if (!last) return trigram;
    if (last.rowid < best.reach) best = { trigram, reach: last.rowid };
  }
  return best.trigram;
}

function trigramsOf(word: string): string[] {
  const characters = [...word];
  return characters.slice(2).map((last, i) => `${characters[i]}${characters[i + 1]}${last}`);
}
