// What many operations of the OpenAPI document repeat is written once, under `components`, and referred to: headers, refusals, and
// an example of each refusal. Routes list the codes they refuse with; here each list becomes an enum of its response.

import { PROBLEMS } from '../core/problems.js';

type Content = Record<string, { schema?: unknown; examples?: Record<string, unknown> }>;

interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, { schema?: unknown; $ref?: string }>;
  content?: Content;
}

interface Parameter {
  name?: string;
  $ref?: string;
}

interface Operation {
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

export const headerRefs = (...names: Header[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Every response to a key or a session says how much of its rate is left. */
export const RATE_LIMIT: Header[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

export function shareComponents<T extends Shareable>(document: T): T {
  const responses: Record<string, Response> = {};
  const examples: Record<string, unknown> = {};
  const operations = Object.values(document.paths ?? {}).flatMap(
    (path) => Object.values(path ?? {}) as Operation[],
  );
  const { parameters, shared } = sharedParameters(operations);

  for (const operation of operations) {
    if (operation.parameters) operation.parameters = operation.parameters.map(shared);
    for (const [status, response] of Object.entries(operation.responses)) {
      const refusals = response.content?.[PROBLEM]?.examples;
      if (refusals) operation.responses[status] = share(status, response, refusals);
      // The plugin takes the reference for a schema.
      else if (response.headers)
        response.headers = headerRefs(...(Object.keys(response.headers) as Header[]));
    }
  }

  /** Responses with the same codes are the same response, which is named after them. */
  function share(status: string, response: Response, refusals: Record<string, unknown>): Response {
    Object.assign(examples, refusals);
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
              { type: 'object', properties: { code: { type: 'string', enum: codes } } },
            ],
          },
          examples: Object.fromEntries(
            codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
          ),
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  return {
    ...document,
    components: { ...document.components, headers: HEADERS, parameters, responses, examples },
  };
}

/** Those that several operations have, by their names; one of another meaning gets a number. */
function sharedParameters(operations: Operation[]) {
  const times = new Map<string, number>();
  for (const parameter of operations.flatMap((operation) => operation.parameters ?? []))
    times.set(JSON.stringify(parameter), (times.get(JSON.stringify(parameter)) ?? 0) + 1);
  const parameters: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [text, count] of times) {
    if (count < 2) continue;
    const parameter = JSON.parse(text) as { name: string };
    let name = parameter.name;
    for (let n = 2; name in parameters; n++) name = `${parameter.name}.${n}`;
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
