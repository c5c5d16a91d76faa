// Building blocks for the schemas of the wire. A schema is at once the validation, the TypeScript type, the filter
// of what leaves and the OpenAPI document.
import { type Static, type TSchema, Type } from 'typebox';
import { PROBLEMS, type ProblemCode } from '../ground/problems.js';

export const uuid = (description?: string) =>
  Type.String({ format: 'uuid', ...(description === undefined ? {} : { description }) });

/** In: any ISO 8601 date-time with an offset. Out: `YYYY-MM-DDTHH:MM:SSZ`. */
export const timestamp = (description?: string) =>
  Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) });

/** One of some words. */
export const choice = <const T extends readonly string[]>(words: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options });

/** The same schema, or null. Said as a list of types, so that a broken rule is one error and not one per branch. */
export function nullable<T extends TSchema>(schema: T) {
  const plain = schema as { type?: string; enum?: readonly unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [plain.type as string, 'null'],
    ...(plain.enum ? { enum: [...plain.enum, null] } : {}),
  });
}

/** A schema that the server knows by name and the OpenAPI document lists under components. */
export const ref = <T>(id: string) => Type.Unsafe<T>({ $ref: `${id}#` });

export const one = <T>(schema: ReturnType<typeof ref<T>>) => Type.Object({ data: schema });

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'A stable address under /problems/' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'For people: what is wrong and what to do' }),
    code: Type.String({ description: 'For programs' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({ pointer: Type.String({ description: 'JSON pointer' }), message: Type.String() }),
        {
          description: 'One entry per broken rule',
        },
      ),
    ),
    request_id: Type.String(),
  },
  { $id: 'Problem' },
);

/** The problems any `/api/v1` request can meet before its own work begins. */
const EVERYWHERE: ProblemCode[] = [
  'bad_request',
  'unauthorized',
  'insufficient_scope',
  'rate_limited',
  'internal_error',
  'unavailable',
];

/** The responses of one route: its own, its problems, and those that any request can meet. */
export function responses(own: Record<number, unknown>, ...problems: ProblemCode[]) {
  return { ...problemResponses([...problems, ...EVERYWHERE]), ...own };
}

/** The same for a route that takes a body. */
export function responsesToBody(own: Record<number, unknown>, ...problems: ProblemCode[]) {
  return responses(
    own,
    'validation_failed',
    'malformed_json',
    'payload_too_large',
    'unsupported_media_type',
    'idempotency_key_reused',
    'no_space',
    ...problems,
  );
}

/** The same for a route that writes without a body, and refuses one that is not JSON all the same. */
export function responsesToNoBody(own: Record<number, unknown>, ...problems: ProblemCode[]) {
  return responses(
    own,
    'malformed_json',
    'payload_too_large',
    'unsupported_media_type',
    'no_space',
    ...problems,
  );
}

/** The parameter of routes about one thing. Any text will do: what is no id is simply not found. */
export const WithId = Type.Object({ id: Type.String() });

export function problemResponses(codes: readonly ProblemCode[]): Record<number, unknown> {
  const result: Record<number, { description: string; content: Record<string, unknown> }> = {};
  for (const code of codes) {
    const [status, title] = PROBLEMS[code];
    const example = {
      summary: title,
      value: {
        type: `/problems/${code}`,
        title,
        status,
        detail: `${title}.`,
        code,
        ...(code === 'validation_failed'
          ? { errors: [{ pointer: '/title', message: 'must have at most 500 characters' }] }
          : {}),
        request_id: 'req_k3v9x2m1a7',
      },
    };
    const known = result[status];
    if (known) {
      const body = known.content['application/problem+json'] as { examples: Record<string, unknown> };
      body.examples[code] ??= example;
    } else
      result[status] = {
        description: title,
        content: { 'application/problem+json': { schema: ref('Problem'), examples: { [code]: example } } },
      };
  }
  return result;
}

export const NoContent = Type.Null({ description: 'Done; there is nothing to return' });
