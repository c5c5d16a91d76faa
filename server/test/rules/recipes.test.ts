// The recipes for running Airdate, backing it up and restoring it run as they are, block after block, in a shell in a fresh clone.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  createPostgresDatabase,
  ENGINES,
  type PostgresDatabase,
} from '../support/databases/fresh-databases.js';
import { skipWithout } from '../support/programs/terminal.js';
import { everyday, itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type S3Server, startS3Server } from '../support/storage/s3-server.js';
import { Installation } from './samples/installation.js';
import {
  FOLLOWED_BY_RECIPES,
  MAKE_BACKUP,
  RECIPES,
  RELEASE,
  RESTORES,
  START,
  STOP,
} from './samples/recipe-titles.js';
import { isTyped, sections, textOf } from './samples/samples.js';

// What differs from the guides, apart from the ports: the URLs of the database and the bucket.
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

const ALONE = { skip: skipWithout('bash', 'curl', 'openssl'), concurrency: 1 };
/** The proofs try Postgres too, with files on the disk and in a bucket, and its backups. */
const DAILY = everyday(ENGINES.slice(0, 1), ENGINES);
const hasBucket = everyday(false, true);

describe("the guides' recipes", () => {
  it('are all executed here', () => {
    const typed = [...Object.values(RECIPES).flat(), MAKE_BACKUP, ...Object.values(RESTORES), STOP, RELEASE];
    const written = FOLLOWED_BY_RECIPES.flatMap((document) => sections(textOf(document))).filter(
      ({ samples }) => samples.some(isTyped),
    );
    assert.deepEqual(written.map(({ title }) => title).sort(), [...new Set(typed)].sort());
  });
});

/** They mostly wait, so all run at the same time. The steps of each follow one another. */
describe("the guides' recipe", { concurrency: true }, () => {
  for (const engine of DAILY)
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
        first.key = (await first.terminal.run('echo "$AIRDATE_API_KEY"')).trim();
        assert.equal(existsSync(join(first.terminal.folder, 'data', 'airdate.db')), engine === 'sqlite');
      });

      it('backs up while it runs, and a restore brings posts and files back, in safe mode until the release', async (t) => {
        const why = engine === 'postgres' && skipWithout('psql');
        if (why) return t.skip(why);
        const contents = await first.contents();
        assert.deepEqual([contents.posts.length, contents.files.length], [1, 2]);
        await first.followBackup(MAKE_BACKUP);

        // What the restored database does not know.
        await first.delete();
        await first.followBackup(STOP);
        await first.followBackup(RESTORES[engine]);
        await first.follow([START]);
        assert.equal((await first.readiness()).safe_mode, true);
        assert.deepEqual(await first.contents(), contents);
        const output = await first.followBackup(RELEASE);
        assert.match(output, /Safe mode has ended/);
        await until('the running processes know', async () => !(await first.readiness()).safe_mode);
      });
    });

  describe('for a backup of npm start', ALONE, () => {
    let installation: Installation;
    before(async () => {
      installation = await Installation.open();
    });
    after(() => installation?.terminal.close());
    const start = () =>
      installation.terminal.run(`
        PORT=${installation.ports.api} npm start > start.log 2>&1 &
        PROCESS=$!
        while kill -0 $PROCESS && ! curl -sf -o /dev/null http://localhost:${installation.ports.api}/readyz; do sleep 0.2; done
      `);

    it('works again and again, and restores nothing under a running process', async () => {
      await start();
      await installation.followBackup(MAKE_BACKUP);
      const [first = ''] = backupsIn(installation);
      renameSync(first, join(dirname(first), '2026-01-01-000000'));
      await installation.followBackup(MAKE_BACKUP);
      const folders = backupsIn(installation);
      assert.deepEqual(
        folders.map((folder) => readdirSync(folder).sort()),
        [1, 2].map(() => ['files', 'lists', 'manifest.json', 'tables']),
      );
      assert.equal(statSync(join(folders[0] as string, 'manifest.json')).mode & 0o077, 0);

      const refused = await installation.followBackup(RESTORES.sqlite);
      assert.match(refused, /still runs: stop it first/);
      assert.ok(existsSync(join(installation.terminal.folder, 'data', 'airdate.db')));

      await installation.terminal.run('kill $PROCESS; wait $PROCESS');
      // An unfinished backup is passed by, and a second restore leaves alone what the first has moved aside.
      const { folder } = installation.terminal;
      mkdirSync(join(folder, 'backup', '9999-unfinished'));
      await installation.followBackup(RESTORES.sqlite);
      const [aside = ''] = movedAside(folder);
      renameSync(join(folder, aside), join(folder, 'before_restore_20260101000000'));
      await installation.followBackup(RESTORES.sqlite);
      assert.deepEqual(
        movedAside(folder).map((name) => existsSync(join(folder, name, 'airdate.db'))),
        [true, true],
      );
      await start();
      assert.equal((await installation.readiness()).safe_mode, true);
    });
  });

  describe('for files in a bucket', ALONE, () => {
    let bucket: S3Server;
    let database: PostgresDatabase;
    let installation: Installation;
    before(async () => {
      if (!hasBucket) return;
      bucket = await startS3Server();
      database = await createPostgresDatabase({ empty: true });
      installation = await Installation.open();
    });
    after(async () => {
      await installation?.terminal.close();
      await database?.drop();
      await bucket?.stop();
    });

    itInProofs(
      'ends with a scheduled carousel on the feed of the sandbox, and both slides in the bucket',
      async () => {
        await installation.follow(RECIPES.bucket, { ...databaseText(database), ...bucketTexts(bucket) });
        await installation.assertOnFeed();
        const slides = [...bucket.objects.keys()].filter((key) => /^orgs\/.*\.png$/.test(key));
        assert.equal(slides.length, 2, [...bucket.objects.keys()].join('\n'));
        assert.deepEqual(readdirSync(join(installation.terminal.folder, 'data')), ['sandbox']);
      },
    );
  });
});

const movedAside = (folder: string) =>
  readdirSync(folder).filter((name) => name.startsWith('before_restore_'));

/** The folders of the backups, the oldest first. */
function backupsIn({ terminal }: Installation): string[] {
  const folder = join(terminal.folder, 'backup');
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}
