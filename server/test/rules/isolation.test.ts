// No organization can reach another's data, and no key exceeds its scopes, over every route.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { SCOPES, type Scope } from '../../src/app/scopes.js';
import { makeSecret } from '../../src/identity/keys/secret.js';
import { ACCESS } from '../../src/request/access.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization, type TestService, useService } from '../support/service/harness.js';
import {
  createOne,
  fill,
  type Operation,
  openedByBody,
  operationsOf,
  REFUSED,
  readDocument,
  type Slot,
  sessionHeaders,
  slotsOf,
} from '../support/service/routes.js';
import type { Answer } from '../support/service/send.js';
import {
  assertListShape,
  assertReadableAtLocation,
  isCreation,
  isList,
} from './requests/lists-and-locations.js';

/** Tables without data of any organization. */
const SHARED_TABLES = [
  'schema_migrations',
  'workers',
  'key_check',
  'platform_webhooks',
  'platform_blocks',
  'installation',
  'grant_calls',
];

/** Those of an index on SQLite: what they have of an organization follows its rows in post_search. */
const INDEX_TABLES = 'post_search_fts';

interface World {
  operations: Operation[];
  mine: Organization;
  theirs: Organization;
  /** One resource of each kind, in the other organization. */
  foreign: Record<string, string>;
  /** A key in each of the ways that do not work. */
  refused: Refused[];
  /** Those with data of organizations, each with the column that names whose they are. */
  tables: Table[];
  without: Record<Scope, string>;
  only: Record<Scope, string>;
}

interface Table {
  table: string;
  column: string;
}

type Refused = [what: string, authorization: string | null];

interface Target {
  slot: Slot;
  id: string;
}

const isOf = (slot: Slot, target: Target | undefined): target is Target =>
  slot.name === target?.slot.name && slot.in === target.slot.in;

onEngines('sqlite', 'every route', (engine) => {
  const service = useService(engine, { env: { SIGNUP: 'open' } });
  let world: World;
  before(async () => {
    world = await createWorld(service);
  });

  const eachOperation = async (work: (operation: Operation, slots: Slot[]) => Promise<void>) => {
    for (const operation of world.operations)
      await work(operation, slotsOf(operation)).catch((error) => {
        error.message = `${operation.route}: ${error.message}`;
        throw error;
      });
  };

  /** One slot is filled with this id, and the others with own ids. */
  async function idsFor(operation: Operation, target?: Target): Promise<Map<Slot, string>> {
    const ids = new Map<Slot, string>();
    for (const slot of slotsOf(operation))
      ids.set(
        slot,
        isOf(slot, target)
          ? target.id
          : await createOne(slot.kind, world.mine, service, operation.operationId, ids),
      );
    return ids;
  }

  /** `made` is for requests that are refused before they use it: making it anew for each took half a minute. */
  async function ask(
    operation: Operation,
    authorization: string | Record<string, string> | null,
    target?: Target,
    scopes: readonly string[] = SCOPES,
    made?: Map<Slot, string>,
  ): Promise<Answer> {
    const ids = made
      ? new Map([...made].map(([slot, id]) => [slot, isOf(slot, target) ? target.id : id]))
      : await idsFor(operation, target);
    const { path, body } = fill(operation, ids, { nowMs: service.clock.now(), scopes });
    return service.request(operation.method, path, {
      body: await openedByBody(operation, body, world.mine, service),
      headers: typeof authorization === 'string' ? { authorization } : (authorization ?? {}),
    });
  }

  const rightHeaders = async ({ opensWith }: Operation): Promise<Record<string, string>> => {
    if (opensWith === 'nothing') return {};
    if (opensWith === 'session') return sessionHeaders(world.mine, service);
    return { authorization: `Bearer ${opensWith === 'operator' ? ADMIN_TOKEN : world.mine.key}` };
  };

  it('is found in the document of the running service', () => {
    assert.ok(world.operations.length >= 19, `only ${world.operations.length} operations`);
    const withIds = world.operations.filter((operation) => slotsOf(operation).length > 0);
    assert.ok(withIds.length >= 9, `only ${withIds.length} operations take an id`);
  });

  it('works with own ids, so that the refusals below mean something, and shows nothing of another organization', () =>
    eachOperation(async (operation) => {
      const { status, text } = await ask(operation, await rightHeaders(operation));
      assert.ok(
        status < 300 || status === REFUSED[operation.route],
        `an own id answered ${status}: ${text}\nIf it needs a resource in another state, make KINDS in routes.ts prepare one.`,
      );
      if (operation.opensWith !== 'key' && operation.opensWith !== 'session') return;
      for (const [kind, id] of Object.entries(world.foreign))
        assert.ok(!text.includes(id), `${kind}: ${text}`);
    }));

  it('lists in one shape, and reads what it creates at its Location', () =>
    eachOperation(async (operation) => {
      if (!isList(operation) && !isCreation(operation)) return;
      const headers = await rightHeaders(operation);
      const answer = await ask(operation, headers);
      if (isList(operation)) assertListShape(operation, answer);
      else await assertReadableAtLocation(service, answer, headers);
    }));

  it('with a new kind of resource fails here until there is a way to create one', () => {
    const [known] = world.operations as [Operation];
    const named = { in: 'path', name: 'id', schema: {} } as const;
    const path = { ...known, path: '/api/v1/gadgets/{id}', parameters: [named] };
    assert.throws(() => slotsOf(path), /"gadgets".*add it to KINDS/s);
    const body = { schema: { properties: { gadget_id: { format: 'uuid' } } }, example: {} };
    assert.throws(() => slotsOf({ ...known, parameters: [], body }), /"gadgets".*add it to KINDS/s);
  });

  for (const by of ['a key', 'a session'])
    it(`answers an id of another organization byte for byte like an unknown one, and changes nothing there (${by})`, () =>
      eachOperation(async (operation, slots) => {
        if (operation.opensWith === 'nothing' || operation.opensWith === 'operator') return;
        if (slots.length === 0) return;
        if (!everyday(1, ['a key', 'a session'], operation.route).includes(by)) return;
        const headers = await (by === 'a key'
          ? rightHeaders(operation)
          : sessionHeaders(world.mine, service));
        for (const slot of slots) {
          const before = await fingerprint(service, world);
          const id = world.foreign[slot.kind] as string;
          const unknownId = randomUUID();
          const foreign = await ask(operation, headers, { slot, id });
          const unknown = await ask(operation, headers, { slot, id: unknownId });
          const expected = withoutRequestId(unknown, unknownId);
          assert.deepEqual(withoutRequestId(foreign, id), expected, slot.name);
          if (slot.in === 'path') assert.equal(foreign.status, 404);
          const shouted = await ask(operation, headers, { slot, id: id.toUpperCase() });
          assert.deepEqual(
            withoutRequestId(shouted, id.toUpperCase()),
            expected,
            `${slot.name} in upper case`,
          );
          assert.equal(
            await fingerprint(service, world),
            before,
            `${slot.name} reached the other organization`,
          );
        }
      }));

  it('leaves another organization alone when its ids come together with own ones', () =>
    eachOperation(async (operation, slots) => {
      for (const slot of slots.filter(({ isList }) => isList)) {
        const before = await fingerprint(service, world);
        const answers = [];
        for (const other of [world.foreign[slot.kind] as string, randomUUID()]) {
          const own = await createOne(slot.kind, world.mine, service);
          const { path, body } = fill(operation, new Map([[slot, own]]), {
            nowMs: service.clock.now(),
            scopes: SCOPES,
          });
          (body as Record<string, unknown>)[slot.name] = [own, other, other];
          answers.push(withoutRequestId(await world.mine.call(operation.method, path, body)));
        }
        assert.deepEqual(answers[0], answers[1]);
        assert.equal(await fingerprint(service, world), before);
      }
    }));

  it('answers a malformed id in the path like an unknown one, and in query or body with 400', () =>
    eachOperation(async (operation, slots) => {
      const headers = await rightHeaders(operation);
      for (const slot of slots) {
        const unknown = await ask(operation, headers, { slot, id: randomUUID() });
        const own = await createOne(slot.kind, world.mine, service);
        // Postgres itself would accept some of these spellings as the id.
        const spellings = [
          'not-a-uuid',
          '0',
          `${own}0`,
          own.slice(0, -1),
          own.replaceAll('-', ''),
          `{${own}}`,
          `urn:uuid:${own}`,
          ` ${own}`,
          `${own}\u0000`,
          `${own}'--`,
          '../posts',
        ];
        for (const id of everyday(1, spellings, `${operation.route} ${slot.name}`)) {
          const malformed = await ask(operation, headers, { slot, id });
          const what = `${slot.name} = ${JSON.stringify(id)}`;
          if (slot.in === 'path' || (slot.isText && !id.includes('\0')))
            assert.deepEqual(withoutRequestId(malformed), withoutRequestId(unknown), what);
          else assert.equal(malformed.status, 400, what);
        }
      }
    }));

  it('refuses a missing, wrong, revoked or expired key with 401, whatever the id', () =>
    eachOperation(async (operation, slots) => {
      if (operation.opensWith === 'nothing') return;
      const made = await idsFor(operation);
      const before = await fingerprint(service, world);
      const [missing, ...others] = refusedOn(operation);
      for (const [what, authorization] of [missing, ...everyday(2, others, operation.route)]) {
        const answers: Answer[] = [];
        for (const slot of slots)
          for (const id of everyday(
            1,
            [world.foreign[slot.kind] as string, randomUUID(), 'not-a-uuid'],
            `${operation.route} ${what}`,
          ))
            answers.push(await ask(operation, authorization, { slot, id }, SCOPES, made));
        if (slots.length === 0) answers.push(await ask(operation, authorization));
        for (const answer of answers) {
          assert.equal(answer.status, 401, `${what}: ${answer.text}`);
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer', what);
          assert.equal(answer.json.code, 'unauthorized', what);
          assert.deepEqual(withoutRequestId(answer), withoutRequestId(answers[0] as Answer), what);
        }
      }
      assert.equal(await fingerprint(service, world), before);
    }));

  function refusedOn({ opensWith }: Operation): [Refused, ...Refused[]] {
    const other = opensWith === 'operator' ? world.mine.key : ADMIN_TOKEN;
    return [['no key', null], ...world.refused, ['what opens other doors', `Bearer ${other}`]];
  }

  it('refuses a key that has every scope but the needed one with 403, whatever the id', () =>
    eachOperation(async (operation, slots) => {
      const access = ACCESS[operation.route];
      assert.ok(access, 'has no row in request/access.ts');
      if (operation.opensWith !== 'key' || access === 'key') return;
      const before = await fingerprint(service, world);
      const key = `Bearer ${world.without[access as Scope]}`;
      const made = await idsFor(operation);
      const answers: Answer[] = [await ask(operation, key, undefined, SCOPES, made)];
      for (const slot of slots)
        for (const id of everyday(
          1,
          [world.foreign[slot.kind] as string, randomUUID(), 'not-a-uuid'],
          `${operation.route} ${slot.name}`,
        ))
          answers.push(await ask(operation, key, { slot, id }, SCOPES, made));
      for (const answer of answers) {
        assert.equal(answer.status, 403, answer.text);
        assert.equal(answer.json.code, 'insufficient_scope');
        assert.deepEqual(withoutRequestId(answer), withoutRequestId(answers[0] as Answer));
      }
      assert.equal(await fingerprint(service, world), before);
    }));

  it('accepts a key that has only the needed scope', () =>
    eachOperation(async (operation) => {
      if (operation.opensWith !== 'key') return;
      // A key that invites needs every scope of the offered role; see api/invitations.test.ts. The examples of updatePost
      // and bulkPosts book a slot, which needs a second scope; see api/schedule-scopes.test.ts and api/bulk-posts.test.ts.
      const needsMore = ['createInvitation', 'updateMember', 'updatePost', 'bulkPosts'];
      if (needsMore.includes(operation.operationId ?? '')) return;
      const access = ACCESS[operation.route] as Scope | 'key';
      for (const scope of access === 'key' ? SCOPES : [access]) {
        const { status, text } = await ask(operation, `Bearer ${world.only[scope]}`, undefined, [scope]);
        assert.ok(status < 300, `${scope} alone answered ${status}: ${text}`);
      }
    }));
});

async function createWorld(service: TestService): Promise<World> {
  const mine = await service.newOrganization({ name: 'Mine' });
  const theirs = await service.newOrganization({ name: 'Theirs' });
  const operations = operationsOf(await readDocument(service));
  const foreign: Record<string, string> = { organizations: theirs.id };
  for (const kind of new Set(operations.flatMap(slotsOf).map((slot) => slot.kind)))
    foreign[kind] ??= await createOne(kind, theirs, service);

  const expired = await mine.keyWith([...SCOPES], {
    expires_at: new Date(service.clock.now() + 60_000).toISOString(),
  });
  service.clock.advance(61_000);
  const { json } = await mine.call('POST', '/api/v1/keys', { name: 'To be revoked' });
  const revoked = json.data.key as string;
  assert.equal((await service.request('GET', '/api/v1/me', { key: revoked })).status, 200);
  assert.equal((await mine.call('DELETE', `/api/v1/keys/${json.data.id}`)).status, 204);

  const keysFor = async (scopesFor: (scope: Scope) => Scope[]) => {
    const entries = SCOPES.map(async (scope) => [scope, await mine.keyWith(scopesFor(scope))] as const);
    return Object.fromEntries(await Promise.all(entries)) as Record<Scope, string>;
  };
  const mistyped = mine.key.slice(0, -1) + (mine.key.endsWith('0') ? '1' : '0');
  return {
    operations,
    mine,
    theirs,
    foreign,
    tables: await tablesOf(service),
    without: await keysFor((scope) => SCOPES.filter((other) => other !== scope)),
    only: await keysFor((scope) => [scope]),
    refused: [
      ['a well-formed key that was never issued', `Bearer ${makeSecret()}`],
      ['a mistyped key', `Bearer ${mistyped}`],
      ['a key in the wrong case', `Bearer ${mine.key.toLowerCase()}`],
      ['a key with more behind it', `Bearer ${mine.key}x`],
      ['two keys', `Bearer ${mine.key} ${mine.key}`],
      ['the prefix alone', 'Bearer ad_'],
      ['a long piece of garbage', `Bearer ${'x'.repeat(5000)}`],
      ['letters outside ASCII', 'Bearer \xff\xfe\xe9'],
      ['an empty key', 'Bearer '],
      ['no scheme', mine.key],
      ['another scheme', `Basic ${mine.key}`],
      ['a revoked key', `Bearer ${revoked}`],
      ['an expired key', `Bearer ${expired}`],
    ],
  };
}

/** All rows of the other organization, in one line. */
async function fingerprint(service: TestService, { tables, theirs }: World): Promise<string> {
  const rows = await service.app.db.transact(async (tx) => {
    const all: string[] = [];
    for (const { table, column } of tables) {
      const found =
        await sql`select * from ${sql.table(table)} where ${sql.ref(column)} = ${theirs.id}`.execute(tx);
      // The last use of a key is stored in the background, by its own organization's requests.
      for (const row of found.rows)
        all.push(JSON.stringify([table, { ...(row as object), last_used_at: null }]));
    }
    return all.sort();
  });
  assert.ok(rows.length >= 4, 'the other organization has rows to protect');
  return createHash('sha256').update(rows.join('\n')).digest('hex');
}

async function tablesOf({ app }: TestService): Promise<Table[]> {
  const columns = await app.db.transact((tx) =>
    app.db.engine === 'sqlite'
      ? sql<{
          t: string;
          c: string;
        }>`select m.name as t, p.name as c from sqlite_master m, pragma_table_info(m.name) p
          where m.type = 'table' and m.name not like 'sqlite_%'`.execute(tx)
      : sql<{ t: string; c: string }>`select table_name as t, column_name as c from information_schema.columns
          where table_schema = 'public'`.execute(tx),
  );
  const names = [...new Set(columns.rows.map(({ t }) => t))].filter(
    (table) => !SHARED_TABLES.includes(table) && !table.startsWith(INDEX_TABLES),
  );
  return names.map((table) => {
    const column = table === 'organizations' ? 'id' : 'org_id';
    const has = columns.rows.some(({ t, c }) => t === table && c === column);
    assert.ok(
      has,
      `the table ${table} has no org_id: give it one, or add it to SHARED_TABLES if it belongs to no organization`,
    );
    return { table, column };
  });
}

/** What must be equal: a response may repeat the id that was sent. The length of the request id varies, and with it that of the body. */
function withoutRequestId({ status, headers, text }: Answer, sentId?: string) {
  const requestId = headers.get('x-request-id') ?? '';
  const kept = [...headers].filter(
    ([name]) => !/^(x-request-id|date|ratelimit-.*|content-length)$/.test(name),
  );
  const length = Number(headers.get('content-length') ?? 0);
  return {
    status,
    headers: Object.fromEntries(kept),
    length: text.includes(requestId) ? length - requestId.length : length,
    text: text.replace(requestId, '<request id>').replaceAll(sentId ?? '<none>', '<sent id>'),
  };
}
