// Requests generated from the OpenAPI document: valid ones, and valid ones with one thing broken.
import fc from 'fast-check';
import { PROBLEMS } from '../../../src/core/problems.js';
import { createEntryLink } from '../../../src/identity/auth/entry-links.js';
import { ADMIN_TOKEN, type Organization, type TestService } from '../../support/service/harness.js';
import { anotherSession, newPerson, PASSWORD, tokenIn } from '../../support/service/people.js';
import { createOne, invitationToken, type Operation, type Schema } from '../../support/service/routes.js';

export interface Shot {
  operation: Operation;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

const MOMENTS = [
  '0000-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '2024-02-29T12:00:00Z',
  '2038-01-19T03:14:08Z',
  '2100-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-23:59',
  '2999-06-30T12:30:00.123456789-03:30',
];

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00y',
  '\u202e\ufeff\u200b',
  '😀'.repeat(1100),
  'é'.normalize('NFD').repeat(600),
  'x'.repeat(501),
  'x'.repeat(100_000),
  '%',
  '\\',
  '%_\\%',
  "'; drop table posts; --",
  '{{7*7}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '\r\nx-injected: 1',
  'null',
  'undefined',
  'NaN',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '9999-12-31T23:59:59-24:00',
];

const HOSTILE_VALUES: unknown[] = [
  ...HOSTILE_TEXTS,
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e21,
  Number.MAX_SAFE_INTEGER + 2,
  -Number.MAX_VALUE,
  [],
  {},
  [[]],
  [null],
  { length: 1e9 },
  { toString: 'x', valueOf: 1 },
  { $gt: '' },
  Array.from({ length: 51 }, () => '00000000-0000-7000-8000-000000000000'),
];

/** JSON that `JSON.stringify` would not write; replaces one value of the body. */
const RAW_VALUES = [
  '1e400',
  '-1e400',
  '1e-400',
  '123456789012345678901234567890',
  '-0',
  '"\\ud800"',
  '"\\u0000"',
  '"\ud83d\\ude00"',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  `${'{"a":'.repeat(21)}1${'}'.repeat(21)}`,
  `[${'0,'.repeat(6000)}0]`,
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  'NaN',
  '01',
  "'x'",
  '',
];

const RAW_BODIES = [
  '',
  ' ',
  'null',
  '"text"',
  '0',
  '[]',
  '{}',
  '{',
  '}{',
  '\ufeff{"title":"with a mark"}',
  '{"title":"twice","title":"again"}',
  '{"title":"comma",}',
  '{"title":"comment"/* no */}',
  '['.repeat(100_000),
  `{"title":"${'x'.repeat(900_000)}"}`,
].map((text) => Buffer.from(text));

const INVALID_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]];

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json;charset=latin1',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'application/jsonp',
  'application/json, text/plain',
  'application/json\t',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  '*/*',
  ';',
  '',
];

const IDEMPOTENCY_KEYS = [
  'a',
  'b',
  'c',
  '',
  ' ',
  'with space',
  '\xe9',
  'x'.repeat(255),
  'x'.repeat(256),
  '"quoted"',
  '%00',
];

/** Once in `of` times the second, otherwise the first. */
const mostly = <A, B>(of: number, first: fc.Arbitrary<A>, second: fc.Arbitrary<B>) =>
  fc.oneof({ arbitrary: first, weight: of - 1 }, { arbitrary: second, weight: 1 });

export async function arbitraryShots(
  service: TestService,
  operations: Operation[],
): Promise<fc.Arbitrary<Shot>> {
  const org = await service.newOrganization({ plan: 'agency' });
  const stranger = await service.newOrganization();
  const many = (kind: string, n: number, operationId = '') =>
    Promise.all(Array.from({ length: n }, () => createOne(kind, org, service, operationId)));
  const pools: Record<string, string[]> = {
    posts: await many('posts', 150),
    keys: await many('keys', 60),
    organizations: [org.id, stranger.id, (await service.newOrganization()).id],
    problems: Object.keys(PROBLEMS),
  };
  const accounts = await many('social-accounts', 3);
  // Enough that some can be disconnected, and others queried in between.
  const connected = await Promise.all(Array.from({ length: 40 }, () => org.connectAccount()));
  pools['social-accounts'] = [...connected, ...accounts];
  const door = await atTheDoor(service, org);
  pools.members = await many('members', 60);
  pools.invitations = await many('invitations', 60);
  const objects = await many('objects', 24);
  /** The state that some operations need a post to be in. */
  const prepared: Record<string, string[]> = {};
  for (const operationId of ['publishPost', 'getPublishStatus', 'resolvePost'])
    prepared[operationId] = await many('posts', 30, operationId);
  prepared.endSession = door.sessionsOfOne;
  const foreignIds = [
    await stranger.addPost(),
    await stranger.addAccount(),
    '01890000-0000-7000-8000-000000000000',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ];

  const uuids = mostly(
    8,
    fc.constantFrom(...accounts, ...(pools.posts as string[]).slice(0, 30)),
    fc.constantFrom(...foreignIds),
  );
  const ids = (name: string) =>
    name === 'social_account_id'
      ? mostly(8, fc.constantFrom(...accounts, ...connected.slice(0, 6)), uuids)
      : uuids;
  const hostileText = fc.oneof(
    fc.constantFrom(...HOSTILE_TEXTS),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  const inAddress = (most: number) => hostileText.map((text) => text.slice(0, most).toWellFormed());
  const hostile: fc.Arbitrary<unknown> = fc.oneof(
    { arbitrary: fc.constantFrom(...HOSTILE_VALUES), weight: 4 },
    { arbitrary: fc.jsonValue({ maxDepth: 4 }), weight: 1 },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 1 },
  );

  /** Values that the schema allows. */
  function valid(schema: Schema, name: string): fc.Arbitrary<unknown> {
    if (schema.enum) return fc.constantFrom(...schema.enum);
    // Each of these posts has one object, so its order has one entry.
    if (name === 'object_key') return fc.constantFrom(...objects);
    if (name === 'token') return fc.constantFrom(...door.tokens);
    if (name === 'email')
      return fc.oneof(
        fc.constant(door.email),
        fc.uuid().map((id) => `${id}@example.com`),
      );
    if (name.endsWith('password')) return mostly(3, fc.constant(PASSWORD), validText(schema, name));
    if (name === 'order') return fc.constantFrom(...objects).map((key) => [key]);
    const types = [schema.type ?? 'string'].flat();
    if (types.includes('null') && types.length > 1)
      return mostly(
        5,
        valid({ ...schema, type: types.filter((type) => type !== 'null') }, name),
        fc.constant(null),
      );
    switch (types[0]) {
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({
          min: schema.minimum ?? -1000,
          max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1),
        });
      case 'array': {
        const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 5, 50) };
        const item = valid(schema.items ?? {}, name);
        return schema.uniqueItems ? fc.uniqueArray(item, bounds) : fc.array(item, bounds);
      }
      case 'object':
        return validObject(schema);
      default:
        return validText(schema, name);
    }
  }

  function validText(schema: Schema, name: string): fc.Arbitrary<string> {
    if (schema.format === 'uuid') return ids(name);
    if (schema.format === 'date-time') {
      const ahead = fc.integer({ min: 600, max: 10_000_000 });
      return mostly(
        3,
        ahead.map((s) => new Date(service.clock.now() + s * 1000).toISOString()),
        fc.constantFrom(...MOMENTS),
      );
    }
    if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
    const { minLength = 0, maxLength = 60 } = schema;
    return fc
      .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) })
      .map((text) => text.replaceAll('\0', ''))
      .filter((text) => text.length >= minLength);
  }

  function validObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
    const fields = Object.entries(properties).map(([name, schema]) => [name, valid(schema, name)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: required }) as fc.Arbitrary<
      Record<string, unknown>
    >;
  }

  /** One thing wrong with an otherwise valid body. */
  function spoiled(schema: Schema): fc.Arbitrary<Buffer> {
    const names = Object.keys(schema.properties ?? {});
    const name = fc.constantFrom(...(names.length > 0 ? names : ['any']));
    const good = mostly(3, validObject(schema), fc.constant({} as Record<string, unknown>));
    const text = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');
    return fc.oneof(
      fc.tuple(good, name, hostile).map(([body, at, value]) => text({ ...body, [at]: value })),
      fc.tuple(good, name).map(([body, at]) => text({ ...body, [at]: undefined })),
      fc.tuple(good, name).map(([body, at]) => text({ ...body, [at]: [body[at]] })),
      fc.tuple(good, hostileText, hostile).map(([body, extra, value]) => text({ ...body, [extra]: value })),
      good.map((body) => text([body])),
      fc.tuple(good, name, fc.constantFrom(...RAW_VALUES)).map(([body, at, raw]) => {
        const marked = JSON.stringify({ ...body, [at]: '<here>' });
        return Buffer.from(marked.replace('"<here>"', () => raw));
      }),
      fc.tuple(good, fc.double({ min: 0, max: 1, noNaN: true })).map(([body, part]) => {
        const whole = text(body);
        return whole.subarray(0, Math.floor(whole.length * part));
      }),
      fc.tuple(good, name, fc.constantFrom(...INVALID_UTF8)).map(([body, at, bytes]) => {
        const [start = '', end = ''] = JSON.stringify({ ...body, [at]: '<here>' }).split('<here>');
        return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]);
      }),
      fc.constantFrom(...RAW_BODIES),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    );
  }

  function pathOf({ path, operationId }: Operation): fc.Arbitrary<string> {
    const parts = path.split('/').map((part, i, all) => {
      if (!part.startsWith('{')) return fc.constant(part);
      const pool = prepared[operationId ?? ''] ?? pools[all[i - 1] as string] ?? foreignIds;
      const odd = fc.oneof(fc.constantFrom(...foreignIds), inAddress(600)).map(encodeURIComponent);
      return mostly(4, fc.constantFrom(...pool), odd);
    });
    return fc.tuple(...parts).map((all) => all.join('/'));
  }

  function queryOf({ parameters = [] }: Operation): fc.Arbitrary<string> {
    const known = parameters.filter((parameter) => parameter.in === 'query');
    const pair = (name: string, value: unknown) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`;
    const good = fc
      .tuple(
        ...known.map(({ name, schema }) =>
          fc.option(
            valid(schema, name).map((value) => pair(name, value)),
            { freq: 3 },
          ),
        ),
      )
      .map((pairs) =>
        pairs
          .filter((one) => one !== null)
          .reverse()
          .slice(0, 4)
          .join('&'),
      );
    const names = ['page', 'extra', '__proto__', 'a[b]', ...known.map(({ name }) => name)];
    const bad = fc.oneof(
      fc
        .array(fc.tuple(fc.constantFrom(...names), inAddress(200)), { maxLength: 4 })
        .map((pairs) => pairs.map(([name, value]) => pair(name, value)).join('&')),
      fc.constantFrom(
        '%',
        'page=%zz',
        'q=%ff%fe',
        'q=%c0%af',
        'q=%00',
        '&&&',
        '=',
        'page=1&page=2',
        'page=1e3',
        '?',
        'q=a+b',
      ),
    );
    return mostly(4, good, bad);
  }

  function headersOf(operation: Operation, hasBody: boolean): fc.Arbitrary<Record<string, string>> {
    const { opensWith, operationId } = operation;
    const right = opensWith === 'operator' ? ADMIN_TOKEN : org.key;
    const wrong = fc.constantFrom(
      '',
      'Bearer',
      'Bearer x',
      `Basic ${right}`,
      stranger.key,
      'Bearer \xff',
      `Bearer ${'y'.repeat(4000)}`,
    );
    const cookies = operationId === 'endSession' ? [door.cookieOfOne] : door.cookies;
    const signedIn = mostly(
      15,
      fc.constantFrom(...cookies),
      fc.constantFrom('airdate=', 'airdate=x', 'airdate'),
    );
    const nothing = fc.constant<string | null>(null);
    const json = fc.constant<string | null>('application/json');
    return fc
      .record({
        authorization:
          opensWith === 'session'
            ? mostly(20, nothing, wrong)
            : mostly<string | null, string>(15, fc.constant(`Bearer ${right}`), wrong),
        cookie: opensWith === 'session' ? signedIn : mostly(30, nothing, signedIn),
        'x-airdate': mostly(20, fc.constant<string | null>('dashboard'), nothing),
        origin: mostly(20, fc.constant(service.url), fc.constantFrom('null', 'https://elsewhere.example')),
        'content-type': hasBody
          ? mostly(12, json, fc.constantFrom(null, ...CONTENT_TYPES))
          : mostly(6, fc.constant(null), json),
        'idempotency-key': fc.oneof(
          { arbitrary: fc.constant<string | null>(null), weight: 3 },
          { arbitrary: fc.uuid(), weight: 2 },
          { arbitrary: fc.constantFrom(...IDEMPOTENCY_KEYS), weight: 1 },
        ),
        accept: mostly(8, fc.constant<string | null>(null), fc.constantFrom('text/html', '*/*;q=0', 'x')),
        'x-http-method-override': mostly(20, fc.constant<string | null>(null), fc.constant('DELETE')),
      })
      .map(
        (all) =>
          Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<
            string,
            string
          >,
      );
  }

  return fc.constantFrom(...operations).chain((operation) => {
    const body: fc.Arbitrary<Buffer | null> = operation.body
      ? mostly(
          2,
          validObject(operation.body.schema).map((value) => Buffer.from(JSON.stringify(value))),
          spoiled(operation.body.schema),
        )
      : mostly(10, fc.constant(null), spoiled({}));
    return fc
      .tuple(pathOf(operation), queryOf(operation), body, fc.nat(9))
      .chain(([anyPath, query, bytes, n]) => {
        const path =
          n === 0 ? anyPath : besideObject(anyPath, `${query.replaceAll('%2F', '/')} ${bytes ?? ''}`);
        return headersOf(operation, bytes !== null).map((headers) => ({
          operation,
          path: query === '' ? path : `${path}?${query}`,
          headers,
          body: bytes,
        }));
      });
  });
}

/** Credentials of people: sessions, one person with many of them, tokens of links, and an email with a password. */
async function atTheDoor(service: TestService, org: Organization) {
  const people = await Promise.all(Array.from({ length: 150 }, () => newPerson(service, org.id, 'admin')));
  const one = await newPerson(service, org.id, 'viewer', { withPassword: true });
  const sessions = await Promise.all(Array.from({ length: 80 }, () => anotherSession(service, one)));
  const links = people
    .slice(0, 60)
    .map(({ id }) =>
      service.app.db.transact((tx) => createEntryLink(service.app, tx, { org_id: org.id, id })),
    );
  const invitations = Array.from({ length: 60 }, () => invitationToken(org));
  return {
    cookies: people.map(({ browser }) => browser.cookie as string),
    cookieOfOne: one.browser.cookie as string,
    sessionsOfOne: sessions.map(({ id }) => id),
    tokens: [...(await Promise.all(links)).map(tokenIn), ...(await Promise.all(invitations))],
    email: one.email,
  };
}

/** An object is found only through its own post, which its key names. */
function besideObject(path: string, named: string): string {
  const post = /\/posts\/([0-9a-f-]{36})\/slides\//.exec(named)?.[1];
  return post === undefined ? path : path.replace(/\/posts\/[^/]+/, `/posts/${post}`);
}
