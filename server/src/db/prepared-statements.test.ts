import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { compileStatement } from './prepared-statements.js';

const db = new Kysely<{ posts: { org_id: string; id: string; n: number } }>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (inner) => new SqliteIntrospector(inner),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
const posts = db.selectFrom('posts').selectAll();

describe('A statement that is compiled once', () => {
  it('binds arguments by their position in the query, whatever their order', () => {
    const inOrder = compileStatement(2, (orgId: string, id: string) =>
      posts.where('org_id', '=', orgId).where('id', '=', id).compile(),
    );
    const reversed = compileStatement(2, (orgId: string, id: string) =>
      posts.where('id', '=', id).where('org_id', '=', orgId).compile(),
    );
    assert.deepEqual(inOrder.bind(['org', 'post']), ['org', 'post']);
    assert.deepEqual(reversed.bind(['org', 'post']), ['post', 'org']);
  });

  it('takes an argument several times, beside constants', () => {
    const statement = compileStatement(2, (orgId: string, n: number) =>
      posts
        .where('n', '>', 7)
        .where('org_id', '=', orgId)
        .where('id', '<>', orgId)
        .where(sql<boolean>`n + ${n} < ${n}`)
        .compile(),
    );
    assert.deepEqual(statement.bind(['org', 3]), [7, 'org', 'org', 3, 3]);
    assert.deepEqual(statement.bind(['other', 4]), [7, 'other', 'other', 4, 4]);
  });

  it('refuses an argument that is not a parameter', () => {
    assert.throws(
      () => compileStatement(2, (orgId: string) => posts.where('org_id', '=', orgId).compile()),
      /argument 2 is no parameter of: select/,
    );
  });

  it('refuses arithmetic and text built from an argument, which has no value yet', () => {
    assert.throws(
      () => compileStatement(1, (n: number) => posts.where('n', '=', n + 1).compile()),
      /has no value/,
    );
    assert.throws(
      () => compileStatement(1, (id: string) => posts.where('id', '=', `${id}~`).compile()),
      /has no value/,
    );
  });
});
