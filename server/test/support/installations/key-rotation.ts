// What tests of encryption keys share: an installation that has a secret in every place where one is kept, and the keys that
// they are sealed with.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { sql } from 'kysely';
import type { App } from '../../../src/app/app.js';
import { createSeal } from '../../../src/core/seal.js';
import { listen } from '../network/local-server.js';
import { PROGRAM } from '../programs/joined-programs.js';
import { authorizeUrl } from '../service/connecting.js';
import { addFactor } from '../service/factors.js';
import { consent, type Organization, TEST_KEY } from '../service/harness.js';
import { newPerson, type TestPerson } from '../service/people.js';
import { published, readyPost } from '../service/posts.js';
import { listAssets, media } from '../service/uploads.js';
import { addWebhook } from '../service/webhooks.js';
import type { Installation, Running } from './restore.js';

/** The key of an `Installation`, and the one that replaces it. */
export const OLD_KEY = TEST_KEY;
export const NEW_KEY = randomBytes(32).toString('hex');
export const idOf = (key: string) => createSeal(Buffer.from(key, 'hex')).keyIds[0] as string;

/** The environment of a process that seals with the first key and opens with all. */
export const keys = (current: string, ...others: string[]) => ({
  ENCRYPTION_KEY: current,
  ENCRYPTION_KEYS_OLD: others.join(','),
});

/** What was given out, or sealed, before the key changed. */
export interface Kept {
  org: Organization;
  accountId: string;
  person: TestPerson;
  /** An answered request: its Idempotency-Key, and the post that it created. */
  answered: { key: string; id: string };
  webhookId: string;
  /** The second page of a list of two, and the URL of a file. */
  cursor: string;
  fileUrl: string;
  /** Where the browser of a person returns to, who has just consented. */
  returnUrl: string;
  /** A post whose file a worker will fetch, but not soon. */
  importing: string;
}

const FAR_AWAY_MS = 1_800_000;

/** Before any worker runs. `neighbour`: where webhooks go, and files are imported from. */
export async function fillWithSecrets(
  installation: Installation,
  process: Running,
  neighbour: string,
): Promise<Kept> {
  const { app } = process;
  const org = await installation.newOrganization(process);
  const accountId = await org.connectAccount('map.folder');
  const answered = { key: `rotation-${randomBytes(6).toString('hex')}`, id: '' };
  answered.id = (await createPost(org, answered.key)).id;
  const { id: webhookId } = await addWebhook(org, neighbour, { types: ['post.created'] });
  // With a previous secret, and one before it, too.
  for (let i = 0; i < 2; i++)
    assert.equal((await org.call('POST', `/api/v1/webhooks/${webhookId}/rotate`)).status, 200);
  const withFile = await readyPost(org);
  const [file] = (await listAssets(org, withFile)).data;
  // Accepted by the platform, which waits for its bytes: the address is a secret of the attempt.
  await published(org, await readyPost(org, 'video'), accountId);
  const importing = await org.addPost();
  const asked = await org.call('POST', `/api/v1/posts/${importing}/assets/import`, {
    url: `${neighbour}/slide.png`,
  });
  assert.equal(asked.status, 202, asked.text);
  const returnUrl = await consent((await authorizeUrl(org)).href, {
    decision: 'allow',
    username: 'late.comer',
  });
  const { json } = await org.call('GET', '/api/v1/posts?per_page=2&cursor=');
  const later = app.clock.now() + FAR_AWAY_MS;
  await app.db.transact(async (tx) => {
    await tx.updateTable('dispatches').set({ next_at: later }).where('upload', 'is not', null).execute();
    await tx.updateTable('asset_sources').set({ fetch_at: later }).execute();
  });
  const person = await newPerson(process, org.id, 'owner');
  await addFactor(process, person);
  return {
    org,
    accountId,
    person,
    answered,
    webhookId,
    cursor: json.next_cursor,
    fileUrl: file?.url ?? '',
    returnUrl,
    importing,
  };
}

/** The same request again gets the same post. */
export async function createPost(
  org: Pick<Organization, 'call'>,
  key: string,
): Promise<{ id: string; status: number }> {
  const answer = await org.call('POST', '/api/v1/posts', { title: 'A post' }, { 'idempotency-key': key });
  return { id: answer.json.data?.id, status: answer.status };
}

/** Every column of the database, declared as sealed or not, with a value that begins with the id of the key. */
export async function sealedAnywhere({ db }: App, keyId: string): Promise<string[]> {
  const found: string[] = [];
  const isSqlite = db.engine === 'sqlite';
  const columns = isSqlite
    ? sql<Column>`select m.name as table_name, c.name as column_name from sqlite_master m
        join pragma_table_info(m.name) c where m.type = 'table' and lower(c.type) = 'text'`
    : sql<Column>`select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type = 'text'`;
  await db.transact(async (tx) => {
    for (const { table_name, column_name } of (await columns.execute(tx)).rows) {
      const matching = sql`select 1 from ${sql.table(table_name)} where ${sql.ref(column_name)} like ${`${keyId}.%`}`;
      if ((await matching.execute(tx)).rows.length > 0) found.push(`${table_name}.${column_name}`);
    }
  });
  return found.sort();
}

interface Column {
  table_name: string;
  column_name: string;
}

/** The columns that `fillWithSecrets` fills. */
export const SEALED_COLUMNS = [
  'asset_sources.url',
  'dispatches.upload',
  'idempotency_records.response',
  'key_check.sealed',
  'oauth_states.verifier',
  'person_factors.secret',
  'social_accounts.access_token',
  'social_accounts.refresh_token',
  'webhook_endpoints.previous_secret',
  'webhook_endpoints.secret',
  'webhook_previous_secrets.secret',
];

/** `npm run check`, in a process of its own. */
export function check(installation: Installation, more: Record<string, string>) {
  const env = { ...installation.environment(), ...more };
  return new Promise<{ code: unknown; lines: string[] }>((resolve) => {
    execFile(process.execPath, [PROGRAM, 'check'], { env, cwd: env.DATA_DIR }, (error, stdout) =>
      resolve({ code: error ? error.code : 0, lines: stdout.trim().split('\n') }),
    );
  });
}

/** Accepts webhooks, and has a slide to import. */
export class Neighbour {
  url = '';
  webhooks = 0;
  readonly server: Server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      if (request.method === 'POST') this.webhooks++;
      response.end(request.method === 'POST' ? 'ok' : media('slide.png'));
    });
  });

  async start(): Promise<this> {
    this.url = await listen(this.server);
    return this;
  }
}
