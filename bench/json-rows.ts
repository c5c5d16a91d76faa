// What the driver's trick of server/src/db/sqlite/json-rows.ts is worth: the best of many rounds, all in one run.
//   node bench/dist/json-rows.js
import { prepareJsonSelect } from '@airdate/server/src/db/sqlite/json-rows.js';
import { POST_COLUMNS } from '@airdate/server/src/db/tables.js';
import {
  DummyDriver,
  Kysely,
  type SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import Libsql from 'libsql';

const ROUNDS = 60;

const db = new Libsql(':memory:');
db.exec(`create table posts (${POST_COLUMNS.join(', ')})`);
db.exec('create index newest on posts (created_at)');
const insert = db.prepare(`insert into posts values (${POST_COLUMNS.map(() => '?').join(', ')})`);
const TEXT = { title: 'A title', caption: 'A caption with some words. '.repeat(8), hashtags: '#one #two' };
for (let i = 0; i < 2_000; i++)
  insert.run(
    POST_COLUMNS.map((name) => {
      if (name in TEXT) return TEXT[name as keyof typeof TEXT];
      if (name.endsWith('_at')) return 1_700_000_000_000 + i;
      return /id$|status|type|mode/.test(name) ? `value ${i}` : null;
    }),
  );

// biome-ignore lint/suspicious/noExplicitAny: any table will do
const queries = new Kysely<any>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new SqliteIntrospector(of),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

for (const rows of [1, 20]) {
  const { sql, query, parameters } = queries
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .orderBy('created_at', 'desc')
    .limit(rows)
    .compile();
  const columns: string[] = [...POST_COLUMNS];
  const byDriver = db.prepare(sql);
  const asJson = prepareJsonSelect(db, sql, query as SelectQueryNode, columns);
  const texts = db.prepare(`select json_group_array(json_array(${columns.join(', ')})) from (${sql})`).raw();
  const ways = {
    'value by value': () => byDriver.all([...parameters]),
    'as JSON, column by column': () =>
      (JSON.parse((texts.get([...parameters]) as [string])[0]) as unknown[][]).map((values) => {
        const row: Record<string, unknown> = {};
        for (const [i, name] of columns.entries()) row[name] = values[i];
        return row;
      }),
    'as JSON, by code for the columns': () => asJson(parameters),
  };
  const best = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, read] of Object.entries(ways)) {
      const began = performance.now();
      for (let i = 0; i < 100; i++) read();
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - began));
    }
  for (const [name, ms] of best) console.log(`${rows} posts, ${name}: ${(ms * 10).toFixed(1)} µs`);
}
