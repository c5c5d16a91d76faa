// What many operations of the OpenAPI document repeat is written once, under `components`, and referred to: headers, parameters,
// responses, and the fields of an object that has more in another response. Routes list the codes they refuse with; here each list
// becomes an enum of its response.

import { PROBLEMS } from '../core/problems.js';

type Content = Record<string, { schema?: unknown; example?: unknown; examples?: Record<string, unknown> }>;

interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, { schema?: unknown; $ref?: string }>;
  content?: Content;
}

type Refusals = Record<string, { value?: unknown }>;

interface Schema {
  description?: string;
  properties?: Record<string, unknown>;
  required?: string[];
}

interface Parameter {
  name?: string;
  $ref?: string;
}

interface Operation {
  operationId?: string;
  parameters?: Parameter[];
  responses: Record<string, Response>;
}

export interface Shareable {
  paths?: Record<string, object | undefined> | undefined;
  components?: object | undefined;
}

const PROBLEM = 'application/problem+json';

const text = (description: string) => ({ description, schema: { type: 'string' } });
const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

const HEADERS = {
  ETag: text(
    'Changes whenever the post, or anything in the list, changes. Send it back as `If-None-Match` or, for a post, as `If-Match`. Absent with `include`.',
  ),
  Location: text('The path of what was created; it can be read.'),
  'Idempotency-Replayed': {
    description:
      'Present if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': count('Seconds to wait before the next try.'),
  'RateLimit-Limit': count('How many requests the organization may send in a minute.'),
  'RateLimit-Remaining': count('How many of them are left.'),
  'RateLimit-Reset': count('Seconds until the minute is over.'),
};

type Header = keyof typeof HEADERS;

/** Most responses name these three, so their components have short names. */
const componentOf = (header: string) => header.replace('RateLimit-', '');

export const headerRefs = (...names: Header[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentOf(name)}` }]));

/** Every response to a key or a session says how much of its rate is left. */
export const RATE_LIMIT: Header[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

export function shareComponents<T extends Shareable>(document: T): T {
  const responses: Record<string, Response> = {};
  const operations = Object.values(document.paths ?? {}).flatMap(
    (path) => Object.values(path ?? {}) as Operation[],
  );
  const { parameters, shared } = sharedParameters(operations);

  for (const operation of operations) {
    if (operation.parameters) operation.parameters = operation.parameters.map(shared);
    for (const [status, response] of Object.entries(operation.responses)) {
      const refusals = response.content?.[PROBLEM]?.examples as Refusals | undefined;
      if (refusals) operation.responses[status] = share(status, response, refusals);
      // The plugin takes the reference for a schema.
      else if (response.headers)
        response.headers = headerRefs(...(Object.keys(response.headers) as Header[]));
    }
  }

  /** Responses with the same codes are the same response, which is named after them. */
  function share(status: string, response: Response, refusals: Refusals): Response {
    const codes = Object.keys(PROBLEMS).filter((code) => code in refusals);
    const name = codes.join('.');
    responses[name] = {
      ...response,
      headers: headerRefs(...headersOf(status)),
      content: {
        [PROBLEM]: {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              { type: 'object', properties: { code: { enum: codes } } },
            ],
          },
          // One is enough: they differ in `code`, `type` and `title`.
          example: refusals[codes[0] as string]?.value,
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  shareSuccesses(operations, responses);
  const components = document.components as { schemas?: Record<string, Schema> } | undefined;
  const headers = Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [componentOf(name), header]),
  );
  return {
    ...document,
    components: { ...components, schemas: sharedFields(components?.schemas), headers, parameters, responses },
  };
}

/** Objects that say more of another in one response: a secret that is shown once, or what depends on it. */
const EXTENDED = {
  NewWebhook: 'Webhook',
  NewApiKey: 'ApiKey',
  ApiKeyDetails: 'ApiKey',
  NewInvitation: 'Invitation',
} as Record<string, string>;

function sharedFields(schemas: Record<string, Schema> = {}): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const known = schemas[EXTENDED[name] ?? ''];
      const { properties: all = {}, required = [], ...rest } = schema;
      if (!known?.properties) return [name, schema];
      const isNew = (field: string) => !(field in (known.properties ?? {}));
      const own = {
        ...rest,
        required: required.filter(isNew),
        properties: Object.fromEntries(Object.entries(all).filter(([field]) => isNew(field))),
      };
      return [name, { allOf: [{ $ref: `#/components/schemas/${EXTENDED[name]}` }, own] }];
    }),
  );
}

/** Moves responses that several operations have to the shared components. */
function shareSuccesses(operations: Operation[], shared: Record<string, Response>): void {
  const uses = new Map<string, [Operation, string][]>();
  for (const operation of operations)
    for (const [status, response] of Object.entries(operation.responses)) {
      if (response.$ref) continue;
      // The plugin takes the description of a response from its schema.
      for (const { schema } of Object.values(response.content ?? {}) as { schema?: Schema }[])
        if (schema?.description === response.description) delete schema?.description;
      const text = JSON.stringify(response);
      uses.set(text, [...(uses.get(text) ?? []), [operation, status]]);
    }
  for (const [text, all] of uses) {
    const [[{ operationId = '' }, status] = [{}, '']] = all as [[Operation, string]];
    if (all.length < 2) continue;
    const name = status in NAMES ? freeName(NAMES[status] as string, shared) : `${operationId}.${status}`;
    shared[name] = JSON.parse(text) as Response;
    for (const [operation, at] of all) operation.responses[at] = { $ref: `#/components/responses/${name}` };
  }
}

/** The names of responses without a body, which look alike. */
const NAMES: Record<string, string> = { 204: 'Done', 304: 'NotModified' };

function freeName(name: string, taken: object): string {
  let free = name;
  for (let n = 2; free in taken; n++) free = `${name}.${n}`;
  return free;
}

/** The parameters that several operations have, by their names; one of another meaning gets a number. */
function sharedParameters(operations: Operation[]) {
  const times = new Map<string, number>();
  for (const parameter of operations.flatMap((operation) => operation.parameters ?? []))
    times.set(JSON.stringify(parameter), (times.get(JSON.stringify(parameter)) ?? 0) + 1);
  const parameters: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [text, count] of times) {
    if (count < 2) continue;
    const parameter = JSON.parse(text) as { name: string };
    const name = freeName(parameter.name, parameters);
    parameters[name] = parameter;
    names.set(text, name);
  }
  const shared = (parameter: Parameter): Parameter => {
    const name = names.get(JSON.stringify(parameter));
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
  };
  return { parameters, shared };
}

/** A stored refusal is a 409 or a 422, and one that is worth waiting for a 409, 429 or 503. */
function headersOf(status: string): Header[] {
  return [
    ...(status === '409' || status === '422' ? (['Idempotency-Replayed'] as const) : []),
    ...(status === '409' || status === '429' || status === '503' ? (['Retry-After'] as const) : []),
    ...RATE_LIMIT,
  ];
}

/** The inverse, for those who read operation by operation: only references to schemas are left. */
export function expandComponents<T extends Shareable>(document: T): T {
  const components = (document.components ?? {}) as Record<string, Record<string, unknown>>;
  const expand = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== 'object' || value === null) return value;
    const [, kind = '', name = ''] =
      /^#\/components\/(\w+)\/(.+)$/.exec(('$ref' in value && String(value.$ref)) || '') ?? [];
    if (kind !== '' && kind !== 'schemas') return expand(components[kind]?.[name]);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expand(one)]));
  };
  return { ...document, paths: expand(document.paths) };
}
