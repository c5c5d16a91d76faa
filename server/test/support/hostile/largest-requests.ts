// The largest requests of the worst shapes that an operation takes, or refuses: generated from its schema.
import { randomUUID } from 'node:crypto';
import { ADMIN_TOKEN, type Organization, type TestService } from '../service/harness.js';
import {
  createOne,
  fill,
  type Operation,
  type Schema,
  type Slot,
  sessionHeaders,
  slotsOf,
} from '../service/routes.js';

/** A JSON body may have 64 KB, and a URL or header 16 KB together. */
const BODY_BYTES = 64_000;
const URL_BYTES = 14_000;
const MANY = 4_900;

export interface Largest {
  title: string;
  body?: string | undefined;
  query?: string;
  headers?: Record<string, string>;
}

/** Folds to eighteen characters, and takes three bytes. */
const LONG_FOLD = '\ufdfa';
/** Sorted in quadratic time, if there are many in a row. */
const MARKS = '\u0300\u0316';

export interface Request {
  method: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
}

/** A valid request, to be made larger. */
export async function requestTo(
  operation: Operation,
  org: Organization,
  service: TestService,
): Promise<Request> {
  const ids = new Map<Slot, string>();
  for (const slot of slotsOf(operation))
    ids.set(slot, await createOne(slot.kind, org, service, operation.operationId, ids));
  const { method, opensWith } = operation;
  const filled = fill(operation, ids, { nowMs: service.clock.now(), scopes: ['posts:read'] });
  const key = opensWith === 'operator' ? ADMIN_TOKEN : org.key;
  const headers =
    opensWith === 'session' ? await sessionHeaders(org, service) : { authorization: `Bearer ${key}` };
  return { method, ...filled, headers: opensWith === 'nothing' ? {} : headers };
}

/** Returns the status, without waiting for the end of the response: it may be a stream. */
export async function sendLargest(
  url: string,
  request: Request,
  { query, body, headers }: Largest,
): Promise<number> {
  const sign = request.path.includes('?') ? '&' : '?';
  const response = await fetch(`${url}${request.path}${query === undefined ? '' : sign + query}`, {
    method: request.method,
    headers: {
      ...request.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  await response.body?.cancel();
  return response.status;
}

export function largestRequests(
  operation: Pick<Operation, 'parameters' | 'body'>,
  example: unknown,
): Largest[] {
  const found: Largest[] = [...largestQueries(operation), ...LARGEST_HEADERS];
  if (!operation.body) return found;
  const { schema } = operation.body;
  const properties = Object.entries(schema.properties ?? {});
  for (const [name, piece] of Object.entries({ folded: LONG_FOLD, marks: MARKS, 'line breaks': '\n' })) {
    const fields = properties.map(([field, of]) => [field, largestValue(of, piece)]);
    const largest = Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    found.push({
      title: `every field as long as it may be: ${name}`,
      body: text({ ...asObject(example), ...largest }),
    });
  }
  for (const [field, of] of properties) {
    const value = isList(of)
      ? Array.from({ length: MANY }, () => 'x')
      : LONG_FOLD.repeat(BODY_BYTES / 3 - 500);
    found.push({ title: `${field} far too long`, body: text({ ...asObject(example), [field]: value }) });
    if (isList(of))
      found.push({
        title: `${field} with many ids`,
        body: text({ ...asObject(example), [field]: ids(1_500) }),
      });
  }
  const unknown = Array.from({ length: MANY }, (_, n) => [`f${n}`, 0]);
  found.push(
    { title: 'unknown fields', body: text({ ...asObject(example), ...Object.fromEntries(unknown) }) },
    { title: 'a list of objects', body: `[${Array(2_400).fill('{}').join()}]` },
    {
      title: 'nested as deep as it may be',
      body: `[${Array(230)
        .fill('['.repeat(19) + ']'.repeat(19))
        .join()}]`,
    },
    { title: 'spaces', body: ' '.repeat(BODY_BYTES) },
    { title: 'escapes', body: `{"a":"${'\\u0041'.repeat(BODY_BYTES / 6 - 10)}"}` },
  );
  return found;
}

function largestQueries({ parameters = [] }: Pick<Operation, 'parameters'>): Largest[] {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const numbered = Array.from({ length: URL_BYTES / 6 }, (_, n) => `p${n}`);
  const found: Largest[] = [{ title: 'unknown parameters', query: numbered.join('&') }];
  for (const { name, schema } of known) {
    const room = URL_BYTES - name.length;
    const piece = /status|outcome|action|include/.test(name)
      ? `${schema.enum?.[0] ?? 'draft'},`
      : encodeURIComponent(LONG_FOLD);
    found.push(
      { title: `${name} far too long`, query: `${name}=${piece.repeat(Math.floor(room / piece.length))}` },
      {
        title: `${name} again and again`,
        query: Array(Math.floor(room / (name.length + 3)))
          .fill(`${name}=a`)
          .join('&'),
      },
    );
    const longest = schema.maxLength;
    if (longest !== undefined)
      for (const [shape, one] of Object.entries({ folded: LONG_FOLD, marks: MARKS, words: 'a ' }))
        found.push({
          title: `${name} as long as it may be: ${shape}`,
          query: `${name}=${encodeURIComponent(one.repeat(longest).slice(0, longest))}`,
        });
  }
  return found;
}

/** Routes with bodies that are not in the document: of agents, of the platform, and of the sandbox, which stands for it. */
export const OTHER_ROUTES: readonly { path: string; type: string }[] = [
  { path: '/mcp', type: 'application/json' },
  { path: '/webhooks/social', type: 'application/json' },
  { path: '/sandbox/v2/oauth/token/', type: 'application/x-www-form-urlencoded' },
  { path: '/sandbox/v2/post/publish/content/init/', type: 'application/json' },
  { path: '/sandbox/v2/video/query/', type: 'application/json' },
];

/** For any route. */
const LARGEST_HEADERS: readonly Largest[] = [
  { title: 'cookies', headers: { cookie: 'a=b;'.repeat(URL_BYTES / 4) } },
  { title: 'a long key', headers: { authorization: `Bearer ${' x'.repeat(URL_BYTES / 2 - 10)}` } },
  { title: 'proxies', headers: { 'x-forwarded-for': `${'::1,'.repeat(URL_BYTES / 4 - 10)}::1` } },
  { title: 'tags', headers: { 'if-none-match': '"a",'.repeat(URL_BYTES / 4) } },
  { title: 'a long Idempotency-Key', headers: { 'idempotency-key': 'x'.repeat(URL_BYTES) } },
  {
    title: 'types',
    headers: { accept: 'a/b,'.repeat(URL_BYTES / 4), 'accept-language': 'a,'.repeat(1_000) },
  },
  { title: 'origins', headers: { origin: `http://${'a.'.repeat(URL_BYTES / 2 - 10)}` } },
  {
    title: 'a trace',
    headers: {
      traceparent: '0-'.repeat(3_000),
      tracestate: 'a=b,'.repeat(2_000),
      baggage: 'a=b,'.repeat(1_000),
    },
  },
];

/** Undefined: only its example fits. */
function largestValue(schema: Schema, piece: string): unknown {
  if (schema.enum || schema.pattern) return undefined;
  if (isList(schema)) {
    const { maxItems = 100, items } = schema;
    return items?.format === 'uuid' ? ids(maxItems) : undefined;
  }
  const isText = [schema.type].flat().includes('string') && schema.format === undefined;
  return isText && schema.maxLength !== undefined
    ? piece.repeat(schema.maxLength).slice(0, schema.maxLength)
    : undefined;
}

const isList = ({ type }: Schema) => [type].flat().includes('array');
const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
const asObject = (value: unknown) => value as Record<string, unknown>;
/** What does not fit is cut, field by field. */
function text(value: Record<string, unknown>): string {
  const whole = JSON.stringify(value);
  if (Buffer.byteLength(whole) <= BODY_BYTES) return whole;
  const fields = Object.entries(value).map(([name, one]) => [name, shorter(one)]);
  return text(Object.fromEntries(fields));
}
const shorter = (value: unknown): unknown =>
  typeof value === 'string' || Array.isArray(value)
    ? value.slice(0, Math.max(1, Math.floor(value.length * 0.9)))
    : value;
