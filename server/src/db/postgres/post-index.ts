// The index of the posts' text on Postgres: GIN over organization and trigrams, by the extensions btree_gin and pg_trgm.
import { type Kysely, sql } from 'kysely';
import type { Database, Reader } from '../database.js';
import type { Lookup, PostSearchIndex } from '../post-index.js';
import type { Tables } from '../tables.js';

/** Making the index stops every writer of posts, so a larger table is left to the operator. */
const MAX_AT_START = 50_000;

/** Recent writes are in GIN's pending list, which each search scans completely: short, so that reading it takes no time. */
const INDEX =
  'post_search_trigrams on post_search using gin (org_id, content gin_trgm_ops) with (gin_pending_list_limit = 256)';

export async function openPostgresIndex(db: Database, limit = MAX_AT_START): Promise<PostSearchIndex> {
  if ((await readIndexState(db.read)) === 'valid') return postgresIndex;
  // By themselves, so that they are there for an operator who makes the index.
  await db.withMigrationLock(async (_tx, run) => {
    for (const extension of ['pg_trgm', 'btree_gin'])
      await run(`create extension if not exists ${extension}`);
  });
  await db.withMigrationLock(async (tx, run) => {
    const state = await readIndexState(tx);
    if (state === 'valid') return;
    if (state === 'invalid')
      throw new Error(
        'the index post_search_trigrams is not finished: if no statement is making it, drop it',
      );
    const rows = tx.selectFrom('post_search').select('post_id').limit(1).offset(limit);
    if (await rows.executeTakeFirst())
      throw new Error(`make the index without stopping writers: create index concurrently ${INDEX}`);
    await run(`create index ${INDEX}`);
  });
  return postgresIndex;
}

/** An invalid index is being built, or building it has failed. */
async function readIndexState(read: Reader): Promise<'missing' | 'invalid' | 'valid'> {
  const { rows } = await sql<{ valid: boolean }>`select indisvalid as valid from pg_index
    where indexrelid = to_regclass('post_search_trigrams')`.execute(read as Kysely<Tables>);
  if (!rows[0]) return 'missing';
  return rows[0].valid ? 'valid' : 'invalid';
}

const postgresIndex: PostSearchIndex = {
  async searchableWords(lookup) {
    const unsure = lookup.words.filter((word) => !HAS_TRIGRAM.test(word));
    const letters = [...new Set(unsure.flatMap((word) => [...word]))];
    const known = letters.length === 0 ? new Set<string>() : await knownLetters(lookup, letters);
    return lookup.words.filter((word) => HAS_TRIGRAM.test(word) || hasRun(word, known));
  },

  async *pages({ read, run, orgId, words, size }) {
    let query = read
      .selectFrom('post_search')
      .select(['post_id', 'created_at'])
      .where('org_id', '=', orgId)
      .orderBy('created_at', 'desc')
      .orderBy('post_id', 'desc')
      .limit(size);
    for (const word of words) query = query.where('content', 'like', `%${word.replace(/[\\%_]/g, '\\$&')}%`);
    for (let next = query; ; ) {
      const rows = await run(() => next.execute());
      yield rows.map(({ post_id }) => post_id);
      const last = rows.at(-1);
      if (!last || rows.length < size) return;
      next = query.where((eb) =>
        eb(eb.refTuple('created_at', 'post_id'), '<', eb.tuple(last.created_at, last.post_id)),
      );
    }
  },
};

/** pg_trgm knows these in every locale. */
const HAS_TRIGRAM = /[a-z0-9]{3}/;

/** Which of the other characters pg_trgm knows: those that the database's locale takes for letters or digits. */
async function knownLetters({ read, run }: Lookup, letters: string[]): Promise<Set<string>> {
  const { rows } = await run(() =>
    sql<{ letter: string }>`select letter from unnest(${letters}::text[]) letter
      where cardinality(show_trgm(letter)) > 0`.execute(read as Kysely<Tables>),
  );
  return new Set(rows.map(({ letter }) => letter));
}

/** Whether three characters in a row are known: without them, Postgres would read the whole index. */
function hasRun(word: string, known: Set<string>): boolean {
  const letters = [...word];
  return letters.some(
    (_letter, i) => i + 3 <= letters.length && letters.slice(i, i + 3).every((one) => known.has(one)),
  );
}
