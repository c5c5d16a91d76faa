// 10,000 random requests on each engine, to a real process with the most talkative log: none is answered with a 5xx, and
// no secret gets out, neither in the log nor in an answer, the database, a file or the output of a crash.
//
// Secrets are those of the installation (keys and tokens in its environment, the password of its database), of people
// (passwords, sessions, tokens of links), of clients (API keys), of the platform (codes, verifiers, access and refresh
// tokens), signatures of file URLs and the names in slide URLs. Some are also sent where they do not belong: as an unknown
// credential, header, field or query parameter, and as the email of a sign-in. Not in a path, which is logged by design, and
// not in what the service is asked to store: titles, names, emails of members, user agents and Idempotency-Keys are no
// secrets.

import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { recount } from '../../src/db/recount.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN } from '../support/service/harness.js';
import { PASSWORD } from '../support/service/people.js';
import { operationsOf, readDocument } from '../support/service/routes.js';
import { crash, failToStart, leaveMarkers, meetFaults } from './canaries/canary-accidents.js';
import { type CanaryWorld, newCanary, startCanaryWorld, textOf } from './canaries/canary-world.js';
import { Canaries } from './canaries/secret-leaks.js';
import { createCheck, describeShot, fire, type Hit } from './requests/fuzz-answers.js';
import { arbitraryShots, type Shot } from './requests/fuzz-requests.js';

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_116);
const CASES = Number(process.env.FUZZ_CASES ?? 10_000);
const MAX_CONCURRENT = 25;
const MAX_SHOWN = 10;

/** Secrets that are not planted but learnt while the requests run. */
const KINDS = [
  'an API key',
  'a session',
  'a password',
  'the token of a link',
  'the token of an invitation',
  'the state of a consent',
  'a signature',
  'code',
  'code_verifier',
  'access_token',
  'refresh_token',
  'the name in a slide URL',
];

describe('the search for secrets', () => {
  const search = new Canaries();
  const secret = newCanary();
  search.plant('a secret', secret);
  const forms = {
    'as it is': secret,
    'cut off': secret.slice(0, 20),
    'in hexadecimal': Buffer.from(secret).toString('hex'),
    'in base64': Buffer.from(`x${secret}`).toString('base64'),
    'in base64 for URLs': Buffer.from(`ab${secret}`).toString('base64url'),
  };
  for (const [name, form] of Object.entries(forms))
    it(`finds one ${name}`, () => {
      assert.equal(search.findIn(Buffer.from(`${'é'.repeat(999)}${form}"`)).length, 1);
    });

  it('finds nothing else', () => {
    assert.deepEqual(search.findIn(Buffer.from(`canary ${newCanary()} ${PASSWORD}`)), []);
  });
});

onEngines('both', 'while random requests arrive, and when the process crashes', (engine) => {
  it('no answer is a 5xx and no secret gets out', async (test) => {
    const world = await startCanaryWorld(engine);
    try {
      const wrong = await fireAll(world, SEED + (engine === 'postgres' ? 1_000_000 : 0), test);
      await leaveMarkers(world);
      await meetFaults(world);
      await crash(world);
      const failedStarts = await failToStart(world, engine);
      const { db } = world.service.app;
      assert.deepEqual(await recount(db, ['posts', 'dispatches']), []);

      const addresses = new Canaries();
      const attempts = await db.read.selectFrom('dispatches').select('nonce').execute();
      for (const { nonce } of attempts) if (nonce !== null) addresses.plant('the name in a slide URL', nonce);
      const places = { ...(await world.places()), 'failed starts': failedStarts };
      const planted = [...world.canaries.counts, ...addresses.counts];
      test.diagnostic(`secrets: ${planted.map(([name, count]) => `${count} × ${name}`).join(' · ')}`);
      const kinds = planted.map(([name]) => name);
      assert.deepEqual(
        KINDS.filter((kind) => !kinds.includes(kind)),
        [],
        'secrets of every kind came up',
      );
      const leaks: string[] = [];
      const marked: Record<string, string[]> = {};
      for (const [place, texts] of Object.entries(places)) {
        test.diagnostic(`${place}: ${sizeOf(texts)} MB`);
        // The database keeps these names as they are: it looks them up, and they are revoked with their attempt.
        const areSecret =
          place === 'database' || place === 'files' ? [world.canaries] : [world.canaries, addresses];
        for (const search of areSecret)
          leaks.push(...texts.flatMap((text) => search.findIn(text).map((found) => `${place}: ${found}`)));
        marked[place] = [
          ...new Set(texts.flatMap((text) => world.markers.findIn(text)).map((line) => line.split(':')[0])),
        ] as string[];
      }
      assert.deepEqual(wrong.slice(0, MAX_SHOWN), []);
      assert.deepEqual(leaks.slice(0, MAX_SHOWN), []);
      // The search sees each place: what was put there is found.
      assert.deepEqual(marked, {
        answers: ['a title'],
        log: ['a path'],
        'crash output': ['the planted fault'],
        database: ['a title'],
        files: engine === 'sqlite' ? ['a title'] : [],
        'failed starts': ['a wrong setting'],
      });
    } catch (error) {
      const log = world.program.output().stdout.toString().split('\n');
      const complaints = log.filter((line) => /"level":"(warn|error|fatal)"/.test(line));
      for (const line of complaints.slice(0, MAX_SHOWN)) test.diagnostic(line.slice(0, 1000));
      throw error;
    } finally {
      await world.close();
    }
  });
});

const sizeOf = (texts: Buffer[]) =>
  (texts.reduce((sum, { length }) => sum + length, 0) / 1_000_000).toFixed(1);

/** Returns what is wrong with the answers. */
async function fireAll(world: CanaryWorld, seed: number, test: TestContext): Promise<string[]> {
  const { service } = world;
  const document = await readDocument(service);
  const operations = operationsOf(document);
  const shots = await arbitraryShots(service, operations);
  const password = await givePassword(world);
  const check = createCheck(document);
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONCURRENT });
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  let n = 0;
  const fireOne = async (shot: Shot) => {
    const sent = withCanaries(world, shot, password, n++);
    let hit: Hit | undefined;
    try {
      hit = await fire(service.url, agent, sent);
      statuses.set(hit.status, (statuses.get(hit.status) ?? 0) + 1);
      world.keep(
        `${sent.operation.method} ${sent.path}`,
        textOf(hit.status, Object.entries(hit.headers), hit.text),
      );
      check(sent, hit);
    } catch (error) {
      wrong.push(
        `${(error as Error).message}\n${describeShot(sent)}\n→ ${hit?.status} ${hit?.text.slice(0, 500)}`,
      );
    }
  };
  try {
    for (let left = CASES; left > 0; left -= 2_500) {
      const batch = fc.sample(shots, { seed: seed + left, numRuns: Math.min(left, 2_500) });
      while (batch.length > 0) await Promise.all(batch.splice(0, MAX_CONCURRENT).map(fireOne));
    }
  } finally {
    agent.destroy();
  }
  assert.equal(n, CASES);
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  test.diagnostic(`${n} requests, seed ${seed}, answered ${counts.join(' · ')}`);
  return wrong;
}

/** The people of the generated requests share a password that is also in the documentation; now they have a secret one. */
async function givePassword({ plant, service: { app } }: CanaryWorld): Promise<string> {
  const password = plant('the password of a person');
  const password_hash = await app.passwords.hash(password);
  await app.db.transact((tx) =>
    tx.updateTable('people').set({ password_hash }).where('password_hash', 'is not', null).execute(),
  );
  return password;
}

/** The same request with secrets of its own, which are then known. */
function withCanaries({ plant, learn, secrets }: CanaryWorld, shot: Shot, password: string, n: number): Shot {
  const { operation } = shot;
  const headers = { ...shot.headers };
  let { path } = shot;
  let body = shot.body?.toString('latin1') ?? null;
  if (headers.authorization)
    headers.authorization = headers.authorization.replace(ADMIN_TOKEN, secrets.ADMIN_TOKEN);
  if (body?.includes(PASSWORD)) {
    const isRight = operation.operationId === 'signIn' && n % 2 === 0;
    body = body.replaceAll(PASSWORD, isRight ? password : plant('a password'));
  }
  switch (n % 25) {
    case 0:
      headers.authorization = `Bearer ${plant('an unknown bearer')}`;
      break;
    case 5:
      headers.cookie = `airdate=${plant('an unknown session')}`;
      break;
    case 10:
      headers['x-api-key'] = plant('a header that the service does not know');
      break;
    case 15:
      path += `${path.includes('?') ? '&' : '?'}api_key=${plant('a query parameter')}`;
      break;
    case 20:
      body = body?.replace(/^\{"/, `{"secret":"${plant('a field')}","`) ?? null;
      break;
  }
  if (operation.operationId === 'signIn' && n % 3 === 0)
    body =
      body?.replace(/"email":"[^"]*@[^"]*"/, `"email":"${plant('a password typed as an email')}"`) ?? null;
  const [, key] = /(ad_\w{36})$/.exec(headers.authorization ?? '') ?? [];
  if (key) learn('an API key', key);
  const [, session] = /^airdate=([\w-]{43})$/.exec(headers.cookie ?? '') ?? [];
  if (session) learn('a session', session);
  const [, token] = /"token":"([\w-]{43})"/.exec(body ?? '') ?? [];
  if (token) learn('the token of a link', token);
  return { operation, path, headers, body: body === null ? null : Buffer.from(body, 'latin1') };
}
