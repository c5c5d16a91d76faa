// The README's recipes under "Running it" are typed as they stand, block after block, into a shell in a fresh clone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createPostgresDatabase, ENGINES, type Engine, type PostgresDatabase } from '../databases.js';
import { type S3Server, startS3Server } from '../storage/s3-server.js';
import { Installation } from './installation.js';
import { sections, sectionsUnder, shellUnder, withTexts } from './readme.js';
import { skipWithout } from './terminal.js';

const START = 'The API and a worker';
const TRIAL = [START, 'Organizations and keys', 'A first scheduled carousel'];
const RECIPES: Record<Engine | 'bucket', string[]> = {
  sqlite: ['Several processes', ...TRIAL],
  postgres: ['Several processes', 'On Postgres', ...TRIAL],
  bucket: ['Several processes', 'On Postgres', 'Files in a bucket', ...TRIAL],
};
const BACKUPS: Record<Engine, string> = { sqlite: 'From SQLite', postgres: 'From Postgres' };

// What is typed differently from the README, apart from the ports: where the database and the bucket are.
const databaseText = ({ url }: PostgresDatabase) => ({
  'postgres://airdate:secret@db.example.com/airdate': url,
});
const bucketTexts = (bucket: S3Server) => ({
  'airdate-media': bucket.bucket,
  'https://s3.example.com': bucket.url,
  'us-east-1': bucket.region,
  'S3_ACCESS_KEY_ID=…': `S3_ACCESS_KEY_ID=${bucket.accessKeyId}`,
  'S3_SECRET_ACCESS_KEY=…': `S3_SECRET_ACCESS_KEY=${bucket.secretAccessKey}`,
});

const skip = skipWithout('bash', 'curl', 'openssl', 'tar');

describe("the README's recipes", () => {
  it('are found by heading, and a missing one is a failure', () => {
    const text =
      '# A\n```sh\n# not a heading\none\n```\n## B\n```json\n{}\n```\n### C\n```sh\ntwo\n```\n## D\n';
    const found = (title: string) => sectionsUnder(title, sections(text)).map(({ blocks }) => blocks);
    assert.deepEqual(found('A'), [['# not a heading\none\n'], [], ['two\n'], []]);
    assert.deepEqual(found('B'), [[], ['two\n']]);
    assert.throws(() => found('E'), /has 0 headings "E"/);
    assert.throws(() => shellUnder('More'), /has nothing to type under "More"/);
    assert.throws(() => withTexts('PORT=1', { 'PORT=2': 'PORT=3' }), /does not say PORT=2/);
  });

  it('are all executed here', () => {
    const typed = [...Object.values(RECIPES).flat(), ...Object.values(BACKUPS)];
    const written = sectionsUnder('Running it').filter(({ blocks }) => blocks.length > 0);
    assert.deepEqual(written.map(({ title }) => title).sort(), [...new Set(typed)].sort());
  });
});

for (const engine of ENGINES)
  describe(`the README's recipe for an API and a worker on ${engine}`, { skip }, () => {
    const databases: PostgresDatabase[] = [];
    const installations: Installation[] = [];
    let first: Installation;

    const newDatabase = async () => {
      const database = await createPostgresDatabase({ empty: true });
      databases.push(database);
      return database;
    };
    const open = async (sandbox?: number) => {
      const installation = await Installation.open(sandbox);
      installations.push(installation);
      return installation;
    };
    before(async () => {
      first = await open();
    });
    after(async () => {
      for (const { terminal } of installations) await terminal.close();
      for (const database of databases) await database.drop();
    });

    it('ends with a scheduled carousel on the feed of the sandbox', async () => {
      await first.follow(RECIPES[engine], engine === 'postgres' ? databaseText(await newDatabase()) : {});
      await first.assertOnFeed();
      first.key = (await first.terminal.run('echo "$KEY"')).trim();
      assert.equal(existsSync(join(first.terminal.folder, 'data', 'airdate.db')), engine === 'sqlite');
    });

    it('backs up while it runs, and an installation made from the copy has the same posts and files', async (t) => {
      const why = engine === 'postgres' && (await skipWithoutDump(databases[0] as PostgresDatabase));
      if (why) return t.skip(why);
      // Whether or not a process has written its own by now.
      const note = join('data', 'files', 'airdate', 'alive');
      mkdirSync(join(first.terminal.folder, dirname(note)), { recursive: true });
      writeFileSync(join(first.terminal.folder, note), '', { flag: 'a' });
      const { posts, files } = await first.contents();
      assert.deepEqual([posts.length, files.length], [1, 2]);

      await first.terminal.run(shellUnder(BACKUPS[engine]));
      const second = await open(first.ports.sandbox);
      await second.terminal.run(
        engine === 'sqlite' ? restoreSqlite(first) : restorePostgres(first, await newDatabase()),
      );
      assert.ok(existsSync(join(first.terminal.folder, note)));
      assert.ok(!existsSync(join(second.terminal.folder, note)), 'the note is not in the copy');
      await second.follow([START]);
      second.key = first.key;
      assert.deepEqual(await second.contents(), { posts, files });
    });
  });

describe("the README's recipe for files in a bucket", { skip }, () => {
  let bucket: S3Server;
  let database: PostgresDatabase;
  let installation: Installation;
  before(async () => {
    bucket = await startS3Server();
    database = await createPostgresDatabase({ empty: true });
    installation = await Installation.open();
  });
  after(async () => {
    await installation?.terminal.close();
    await database?.drop();
    await bucket?.stop();
  });

  it('ends with a scheduled carousel on the feed of the sandbox, and both slides in the bucket', async () => {
    await installation.follow(RECIPES.bucket, { ...databaseText(database), ...bucketTexts(bucket) });
    await installation.assertOnFeed();
    const slides = [...bucket.objects.keys()].filter((key) => /^orgs\/.*\.png$/.test(key));
    assert.equal(slides.length, 2, [...bucket.objects.keys()].join('\n'));
    assert.deepEqual(readdirSync(join(installation.terminal.folder, 'data')), ['sandbox']);
  });
});

const backupOf = ({ terminal }: Installation) => join(terminal.folder, 'backup');

const restoreSqlite = (from: Installation) => `
  mkdir data
  cp ${backupOf(from)}/airdate.db ${backupOf(from)}/encryption.key data/
  tar -C data -xf ${backupOf(from)}/files.tar`;

const restorePostgres = (from: Installation, { url }: PostgresDatabase) => `
  mkdir data
  export DATABASE_URL=${url} ENCRYPTION_KEY=$(cat ${backupOf(from)}/encryption.key)
  pg_restore --no-owner --exit-on-error --dbname="$DATABASE_URL" ${backupOf(from)}/airdate.dump
  tar -C data -xf ${backupOf(from)}/files.tar`;

/** Postgres's own tools refuse a server that is newer than they are. On CI nothing may be left out. */
async function skipWithoutDump({ url }: PostgresDatabase): Promise<string | false> {
  const missing = skipWithout('pg_dump', 'pg_restore');
  if (missing || process.env.CI) return missing;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('show server_version').finally(() => client.end());
  const [server, tool] = [rows[0].server_version, execFileSync('pg_dump', ['--version']).toString()].map(
    (text) => Number(/\d+/.exec(text)?.[0]),
  ) as [number, number];
  return tool < server && `not tried, because pg_dump ${tool} is older than Postgres ${server}`;
}
