// Building blocks for API schemas. One schema serves as validation, TypeScript type, response filter and OpenAPI document.
import { type Static, type TSchema, Type } from 'typebox';
import { PROBLEMS, type ProblemCode } from '../core/problems.js';

export const uuid = (description?: string) =>
  Type.String({ format: 'uuid', ...(description === undefined ? {} : { description }) });

/** Input: any ISO 8601 date-time with an offset. Output: `YYYY-MM-DDTHH:MM:SSZ`. */
export const timestamp = (description?: string) =>
  Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) });

/** A string enum. */
export const choice = <const T extends readonly string[]>(words: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options });

/** One or more of these words in a parameter, separated by commas. `listParameters` tells the document that it is a list. */
export function choices(words: readonly string[], options: Record<string, unknown> = {}) {
  const any = `(${words.join('|')})`;
  return Type.String({
    pattern: `^${any}(,${any}){0,9}$`,
    'x-rule': `must be one or more of ${words.join(', ')}, separated by commas`,
    'x-list': { type: 'array', items: { type: 'string', enum: words }, minItems: 1, uniqueItems: true },
    ...options,
  });
}

/** The schema, or null. Written as a list of types, so that a broken rule gives one error and not one per branch. */
export function nullable<T extends TSchema>(schema: T) {
  const plain = schema as { type?: string; enum?: readonly unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [plain.type as string, 'null'],
    ...(plain.enum ? { enum: [...plain.enum, null] } : {}),
  });
}

/** A schema registered by name, which the OpenAPI document lists under components. */
export const ref = <T>(id: string) => Type.Unsafe<T>({ $ref: `${id}#` });

/** The envelope of a success. Its example is the schema's, unless another is given. */
export const dataEnvelope = <T>(schema: ReturnType<typeof ref<T>>, example?: object) =>
  Type.Object(
    { data: schema },
    { description: 'Success', ...(example ? { examples: [{ data: example }] } : {}) },
  );

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'A stable URL under /problems/' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong and what to do about it, for people' }),
    code: choice(Object.keys(PROBLEMS) as ProblemCode[], { description: 'For programs; never changes' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description: 'JSON pointer to a field of the body; for a parameter or header, `/` and its name',
          }),
          message: Type.String(),
        }),
        { description: 'One entry per invalid field' },
      ),
    ),
    request_id: Type.String(),
  },
  { $id: 'Problem' },
);

/** A problem within a response, of one of these codes. */
export const problemSchema = (...codes: ProblemCode[]) =>
  Type.Unsafe<Static<typeof Problem>>({
    allOf: [{ $ref: 'Problem#' }, { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
  });

/** Problems that any `/api/v1` request can get before its use case runs. */
const EVERYWHERE: ProblemCode[] = [
  // An unknown query parameter, too.
  'validation_failed',
  'bad_request',
  'unauthorized',
  'insufficient_scope',
  // A key used from another network, or a member without the second factor that the organization requires.
  'network_not_allowed',
  'second_factor_required',
  // A session from another site, or a key where a person is needed.
  'forbidden',
  'rate_limited',
  'internal_error',
  'unavailable',
];

/** The responses of one route: its own, its problems, and those of any request. */
export function responses(own: Record<number, unknown>, ...problems: ProblemCode[]) {
  return { ...problemResponses([...problems, ...EVERYWHERE]), ...own };
}

/** The same for a route with a body. */
export function responsesToBody(own: Record<number, unknown>, ...problems: ProblemCode[]) {
  return responses(
    own,
    'malformed_json',
    'payload_too_large',
    'unsupported_media_type',
    'idempotency_key_in_use',
    'idempotency_key_reused',
    'no_space',
    ...problems,
  );
}

/** The same for a route that writes without a body; it still refuses a body that is not JSON. */
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

/** The same for a POST without a body, which an `Idempotency-Key` makes safe to repeat. */
export function responsesToAct(own: Record<number, unknown>, ...problems: ProblemCode[]) {
  return responsesToNoBody(own, 'idempotency_key_in_use', 'idempotency_key_reused', ...problems);
}

/** The path parameter of routes with an id. Accepts any text: what is not an id is not found. */
export const WithId = Type.Object({ id: Type.String() });

type Described = Record<
  number,
  { description: string; content: Record<string, { schema: unknown; examples: Record<string, unknown> }> }
>;
const PROBLEM = 'application/problem+json';

export const problemResponses = (codes: readonly ProblemCode[]): Record<number, unknown> =>
  addProblems({}, codes);

/** The same responses, which also tell of these problems. */
export function addProblems(
  before: Record<number, unknown>,
  codes: readonly ProblemCode[],
): Record<number, unknown> {
  const result = { ...before } as Described;
  for (const code of codes) {
    const [status, title] = PROBLEMS[code];
    const example = {
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
    const { description = title, content = {} } = result[status] ?? {};
    const examples = content[PROBLEM]?.examples;
    result[status] = {
      description,
      content: {
        [PROBLEM]: {
          schema: ref('Problem'),
          examples: { ...examples, [code]: examples?.[code] ?? example },
        },
      },
    };
  }
  return result;
}

export const NotModified = Type.Null({ description: 'Not modified; the response has no body' });

export const NoContent = Type.Null({ description: 'Done; the response has no body' });
