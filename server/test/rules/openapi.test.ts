// The committed document and the typed client match the routes, and the document is complete.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { EVENT_TYPES } from '../../src/events/schema.js';
import { MEANINGS } from '../../src/http/openapi-fields.js';
import { type Document, type MediaType, operationsOf, type Schema } from '../support/service/routes.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const committed = readFileSync(join(ROOT, 'sdk/openapi.json'), 'utf8');
const document = JSON.parse(committed) as Document;
const operations = operationsOf(document);
const print = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

describe('the OpenAPI document', () => {
  it('in sdk/openapi.json is current (if not, run: npm run openapi)', () => {
    // The compiled modules, because scripts of users start them by this path; other tests start the joined program.
    assert.equal(print(process.execPath, 'server/dist/src/main.js', 'openapi'), committed);
  });

  it('is the source of the typed client (if not, run: npm run openapi)', () => {
    const tool = join(ROOT, 'sdk/node_modules/.bin/openapi-typescript');
    const made = print(process.execPath, tool, 'sdk/openapi.json');
    assert.equal(made.trim(), readFileSync(join(ROOT, 'sdk/src/client/schema.gen.ts'), 'utf8').trim());
  });

  it('names, tags, summarizes and describes every operation, each with a unique name', () => {
    for (const { route, operationId, tags, summary, description } of operations) {
      assert.match(operationId ?? '', /^[a-z][A-Za-z]+$/, `${route} has no operationId`);
      assert.equal(tags?.length, 1, `${route} has no tag`);
      assert.ok(summary, `${route} has no summary`);
      assert.match(description ?? '', /\.$/, `${route} has no description`);
      assert.notEqual(description, `${summary}.`, `${route}: the description repeats the summary`);
    }
    const names = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(names).size, names.length);
  });

  it('lists the refusals each operation can meet', () => {
    const missing = operations.flatMap((operation) => {
      const { route, opensWith, parameters = [], body, responses } = operation;
      const hasId = parameters.some((parameter) => parameter.in === 'path');
      const takesInput = body !== null || parameters.some((parameter) => parameter.in === 'query');
      const needed = [
        ...(opensWith === 'nothing' ? [] : [401, 500, 503]),
        // The operator has no scopes and no limits.
        ...(opensWith === 'nothing' || route.includes('/api/admin/') ? [] : [403, 429]),
        ...(takesInput ? [400] : []),
        ...(body ? [413, 415] : []),
        ...(hasId ? [404] : []),
      ];
      return needed.filter((status) => !responses[status]).map((status) => `${route}: ${status}`);
    });
    assert.deepEqual(missing, []);
  });

  it('describes every field and parameter, and has no meaning that none of them needs', () => {
    const bare: string[] = [];
    const used = new Set<unknown>();
    const check = (where: string, described: { description?: unknown; $ref?: unknown }) => {
      if (!described.$ref && !described.description) bare.push(where);
      used.add(described.description);
    };
    const checkFields = (where: string, { properties = {}, items, anyOf = [], oneOf = [] }: Schema) => {
      for (const [name, field] of Object.entries(properties)) {
        check(`${where}.${name}`, field);
        checkFields(`${where}.${name}`, field);
      }
      for (const part of [...(items ? [items] : []), ...anyOf, ...oneOf]) checkFields(where, part);
    };
    for (const [name, schema] of Object.entries(document.components.schemas))
      for (const part of [schema, ...(schema.allOf ?? [])]) checkFields(name, part);
    for (const { route, parameters = [], body, responses } of operations) {
      for (const parameter of parameters) check(`${route}?${parameter.name}`, parameter);
      if (body) checkFields(route, body.schema);
      for (const { content = {} } of Object.values(responses))
        for (const { schema } of Object.values(content)) checkFields(route, schema);
    }
    assert.deepEqual(bare, []);
    const unneeded = Object.entries(MEANINGS).filter(([, meaning]) => !used.has(meaning));
    assert.deepEqual(unneeded, []);
  });

  it('is at most 4 KB per operation as it is served', () => {
    const bytes = Buffer.byteLength(JSON.stringify(document));
    assert.ok(bytes <= 4_000 * operations.length, `${bytes} bytes for ${operations.length} operations`);
  });

  it('lists the headers of responses: Location, rate limits, when to try again, and what was replayed', () => {
    const missing = operations.flatMap(({ route, opensWith, parameters = [], responses }) =>
      Object.entries(responses).flatMap(([status, { headers = {} }]) => {
        const isKept = parameters.some(({ name }) => name === 'Idempotency-Key');
        const needed = [
          ...(status === '201' ? ['Location'] : []),
          ...(isKept && /^(2..|409|422)$/.test(status) ? ['Idempotency-Replayed'] : []),
          ...(status === '429' || (status === '503' && route !== 'GET /readyz') ? ['Retry-After'] : []),
          ...(opensWith === 'key' || opensWith === 'session' ? ['RateLimit-Remaining'] : []),
        ];
        return needed.filter((name) => !(name in headers)).map((name) => `${route} ${status}: ${name}`);
      }),
    );
    assert.deepEqual(missing, []);
  });

  it('lists a success for every operation, and problems as problem+json', () => {
    for (const { route, responses } of operations) {
      const statuses = Object.keys(responses).map(Number);
      assert.ok(
        statuses.some((status) => status < 300),
        route,
      );
      for (const status of statuses.filter((one) => one >= 400 && !(route === 'GET /readyz' && one === 503)))
        assert.deepEqual(Object.keys(responses[status]?.content ?? {}), ['application/problem+json'], route);
    }
  });

  it('has an example for every response with a body, every body and every webhook, and each fits its schema', () => {
    const wrong: string[] = [];
    const check = (where: string, { schema, example, examples }: MediaType) => {
      const given =
        example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example];
      if (given.length === 0) wrong.push(`${where} has no example`);
      for (const one of given) wrong.push(...errorsIn(schema, one).map((error) => `${where}: ${error}`));
    };
    const checkAll = (where: string, content: Record<string, MediaType> = {}) => {
      for (const [type, media] of Object.entries(content)) check(`${where} ${type}`, media);
    };
    for (const { route, responses, requestBody } of operations) {
      checkAll(`the body of ${route}`, requestBody?.content);
      for (const [status, { content }] of Object.entries(responses)) checkAll(`${route} ${status}`, content);
    }
    for (const [type, { post }] of Object.entries(document.webhooks))
      checkAll(type, post.requestBody?.content);
    assert.deepEqual(wrong, []);
  });

  it('has an entry for every type of webhook message, and events and messages of a type say the same', () => {
    assert.deepEqual(Object.keys(document.webhooks), [...EVENT_TYPES, 'webhook.test']);
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { example, schema = {} } = post.requestBody?.content['application/json'] ?? {};
      const { id, timestamp, event_id, ...says } = example as Record<string, unknown>;
      assert.equal(says.type, type);
      assert.ok(id && timestamp);
      assert.equal(event_id === undefined, type === 'webhook.test');
      for (const other of Object.keys(document.webhooks))
        assert.equal(errorsIn(schema, { ...(example as object), type: other }).length === 0, other === type);
      const event = { id: event_id, created_at: timestamp, ...says };
      const fits = errorsIn({ $ref: '#/components/schemas/Event' }, event).length === 0;
      assert.equal(fits, type !== 'webhook.test', type);
    }
  });
});

const ajv = new Ajv({ strict: false, validateSchema: false });
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
ajv.addSchema({ ...document, $id: 'api' });

/** Most responses have a schema that others have too. Compiling each again took most of the time of these tests. */
const compiled = new Map<string, ValidateFunction>();

function errorsIn(schema: Schema, value: unknown): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  return validate(value) ? [] : [JSON.stringify(validate.errors)];
}
