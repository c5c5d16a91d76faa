// The README's recipes under "Running it" run as they are, block after block, in a shell in a fresh clone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createPostgresDatabase, ENGINES, type Engine, type PostgresDatabase } from '../databases.js';
import { EVERYTHING } from '../everyday.js';
import { until } from '../sandbox/platform.js';
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
const RESTORES: Record<Engine, string> = { sqlite: 'Into SQLite', postgres: 'Into Postgres' };

// What differs from the README, apart from the ports: the URLs of the database and the bucket.
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

const ALONE = { skip: skipWithout('bash', 'curl', 'openssl', 'tar'), concurrency: 1 };
/** The bucket's recipe runs on Postgres; the proofs try Postgres with files on the disk too, and its backups. */
const DAILY = ENGINES.slice(0, 1);

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
    const typed = [
      ...Object.values(RECIPES).flat(),
      ...Object.values(BACKUPS),
      ...Object.values(RESTORES),
      'After a restore',
    ];
    const written = sectionsUnder('Running it').filter(({ blocks }) => blocks.length > 0);
    assert.deepEqual(written.map(({ title }) => title).sort(), [...new Set(typed)].sort());
  });
});

/** They mostly wait, so all run at once. The steps of each follow one another. */
describe("the README's recipe", { concurrency: true }, () => {
  for (const engine of EVERYTHING ? ENGINES : DAILY)
    describe(`for an API and a worker on ${engine}`, ALONE, () => {
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

      it('backs up while it runs, and a restore brings posts and files back, in safe mode until the release', async (t) => {
        const why = engine === 'postgres' && (await skipWithoutDump(databases[0] as PostgresDatabase));
        if (why) return t.skip(why);
        const contents = await first.contents();
        assert.deepEqual([contents.posts.length, contents.files.length], [1, 2]);
        await first.terminal.run(shellUnder(BACKUPS[engine]));
        const copied = execFileSync('tar', [
          '-tf',
          join(first.terminal.folder, 'backup', 'files.tar'),
        ]).toString();
        assert.ok(copied.includes('.png') && !copied.includes('alive'), copied);

        // What the restored database does not know.
        await first.delete();
        await first.terminal.run(shellUnder(RESTORES[engine]));
        await first.follow([START]);
        assert.equal((await first.readiness()).safe_mode, true);
        assert.deepEqual(await first.contents(), contents);
        const said = await first.terminal.run(shellUnder('After a restore'));
        assert.match(said, /Safe mode has ended/);
        await until('the running processes know', async () => !(await first.readiness()).safe_mode);
      });
    });

  describe('for files in a bucket', ALONE, () => {
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
});

/** Postgres's own tools refuse a server that is newer than they are. On CI nothing may be skipped. */
async function skipWithoutDump({ url }: PostgresDatabase): Promise<string | false> {
  const missing = skipWithout('pg_dump', 'pg_restore', 'psql');
  if (missing || process.env.CI) return missing;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('show server_version').finally(() => client.end());
  const [server, tool] = [rows[0].server_version, execFileSync('pg_dump', ['--version']).toString()].map(
    (text) => Number(/\d+/.exec(text)?.[0]),
  ) as [number, number];
  return tool < server && `not tried, because pg_dump ${tool} is older than Postgres ${server}`;
}
