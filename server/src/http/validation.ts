// The strict edge: nothing is coerced, nothing is stripped, and every broken rule is explained.
import { isUtf8 } from 'node:buffer';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { parseTimestamp } from '../core/clock.js';
import { closest } from '../core/closest.js';
import { createCpuThrottle } from '../core/concurrency.js';
import { asUuid } from '../core/ids.js';
import { AppError, type FieldError, invalid } from '../core/problems.js';
import { inSlices } from '../core/slices.js';
import { faultOfLongShape, jsonShapeError } from './json-shape.js';

const MAX_ERRORS = 20;

const ajv = new Ajv({
  allErrors: true, // safe: readJson has already limited the number of values
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  verbose: true,
});
ajv.addFormat('uuid', (text) => asUuid(text) !== null);
ajv.addFormat('date-time', (text) => parseTimestamp(text) !== null);
ajv.addVocabulary(['x-rule', 'x-list', 'x-deprecated-since', 'x-sunset']);

export function createValidator(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    // Compiled with the first request: compiling all of them took a fifth of the start.
    let validate: ValidateFunction | undefined;
    const thing = httpPart === 'querystring' ? 'parameter' : 'field';
    const check = (data: unknown) => {
      validate ??= ajv.compile(schema);
      return validate(data) || { error: rejection(validate.errors ?? [], thing) };
    };
    if (httpPart !== 'querystring') return check as never;
    const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
    return ((query: Record<string, unknown>) => {
      for (const name of Object.keys(query)) {
        const value = query[name];
        if (!isText(name) || !isTextValue(value))
          return { error: invalid([{ pointer: pointerTo(name), message: BAD_TEXT }]) };
        if (Object.hasOwn(properties, name)) query[name] = readParameter(value, properties[name]?.type);
      }
      return check(query);
    }) as never;
  };
}

/** Percent signs that do not encode valid UTF-8 would otherwise be taken literally. */
export function queryEncodingHook(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const start = request.url.indexOf('?');
  if (start === -1 || !request.url.includes('%', start)) return done();
  try {
    decodeURIComponent(request.url.slice(start));
    done();
  } catch {
    done(new AppError('bad_request', 'The query string is not properly encoded.'));
  }
}

/** Query parameters arrive as text: a plain number or true/false is parsed, everything else stays text. */
function readParameter(value: unknown, type: string | undefined): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** Parses JSON bodies. An empty body counts as none: DELETE and GET may declare JSON and send nothing. */
export function readJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  const parseInTurn = createCpuThrottle(PARSED_IN_TURN_MS);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    if (bytes.length === 0) return done(null, undefined);
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding !== 'identity')
      return done(
        new AppError('unsupported_media_type', 'Send the body as it is, without Content-Encoding.'),
      );
    if (!isUtf8(bytes)) return done(new AppError('malformed_json', 'The body is not valid UTF-8.'));
    const read = (shape: string | null) => {
      if (shape !== null) return done(new AppError('bad_request', shape));
      const text = bytes.toString('utf8');
      parse(request, text, (error, value) => {
        if (error) return done(new AppError('malformed_json', whyMalformed(text)));
        const fault = findFault(value);
        return fault ? done(fault) : done(null, value);
      });
    };
    if (bytes.length <= LONG_BODY) return read(jsonShapeError(bytes));
    const { socket } = request.raw;
    const gone = new AbortController();
    const leave = () => gone.abort(new AppError('request_timeout', 'The client has closed the connection.'));
    socket.once('close', leave);
    inSlices(faultOfLongShape(bytes), gone.signal)
      .then((shape) =>
        parseInTurn(async () => {
          gone.signal.throwIfAborted();
          read(shape);
        }),
      )
      .catch(done)
      .finally(() => socket.off('close', leave));
  });
}

/** The parser of the server says neither where a body is wrong, nor that it is right and has a key which it refuses. */
function whyMalformed(text: string): string {
  try {
    JSON.parse(text);
    return 'The body contains the key __proto__ or constructor.prototype, which no request may have.';
  } catch (error) {
    // Not for every mistake, and not in every version of Node.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    const where = position === undefined ? '' : ` at character ${Number(position) + 1}`;
    return `The body is not valid JSON${where}. Check quotes and commas.`;
  }
}

/**
 * A longer one is looked at in slices, and parsed after others have been served: 5 MB take up to 50 ms, which cannot be divided.
 * Only an import may be longer.
 */
const LONG_BODY = 64 * 1024;
const PARSED_IN_TURN_MS = 10;

const BAD_TEXT = 'must not contain NUL characters or unpaired surrogates';

/** Databases and the platform cannot handle such text, so it is refused anywhere in the body. The body's shape is bounded. */
function findFault(body: unknown): AppError | null {
  const path: string[] = [];

  function isFine(value: unknown): boolean {
    if (typeof value === 'string') return isText(value);
    if (typeof value !== 'object' || value === null) return true;
    // Parsed JSON has no inherited properties.
    for (const name in value) {
      if (!isText(name)) return false;
      path.push(name);
      if (!isFine((value as Record<string, unknown>)[name])) return false;
      path.pop();
    }
    return true;
  }

  return isFine(body) ? null : invalid([{ pointer: pointerTo(...path), message: BAD_TEXT }]);
}

export const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const isTextValue = (value: unknown) => typeof value !== 'string' || isText(value);

const pointerTo = (...path: string[]) =>
  path.map((part) => `/${part.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function rejection(errors: ErrorObject[], thing: string): AppError {
  // One error per field: the first says enough, and a wrong type breaks most other rules too.
  const byField = new Map<string, FieldError>();
  for (const error of errors) {
    // A body may have thousands of unknown fields, and what each was meant to be takes time to find.
    if (byField.size === MAX_ERRORS) break;
    const field = toFieldError(error, thing);
    if (!byField.has(field.pointer)) byField.set(field.pointer, field);
  }
  return invalid([...byField.values()]);
}

/** What other APIs, or other requests of this one, call it. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  account: 'social_account_id',
  account_id: 'social_account_id',
  description: 'caption',
  id: 'post_id',
  privacy: 'privacy_level',
  publish_at: 'scheduled_at',
  search: 'q',
  text: 'caption',
  visibility: 'privacy_level',
  limit: 'per_page',
  page_size: 'per_page',
  mode: 'publish_mode',
  publish_mode: 'mode',
};

function meantFor(name: string, schema: unknown): string {
  const { properties = {} } = schema as { properties?: object };
  const names = Object.keys(properties);
  const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
  const meant = other !== undefined && names.includes(other) ? other : closest(name, names);
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

function toFieldError(error: ErrorObject, thing: string): FieldError {
  const { instancePath, keyword, params, parentSchema, schema } = error;
  const at = (message: string, child?: string): FieldError => ({
    pointer: child === undefined ? instancePath : instancePath + pointerTo(child),
    message,
  });
  const rule = (parentSchema as { 'x-rule'?: string } | undefined)?.['x-rule'];
  if (rule !== undefined && keyword !== 'type') return at(rule);
  switch (keyword) {
    case 'required':
      return at('is required', params.missingProperty);
    case 'additionalProperties':
      return at(
        `is not a ${thing} of this request${meantFor(params.additionalProperty, parentSchema)}`,
        params.additionalProperty,
      );
    case 'type':
      if (thing === 'parameter' && Array.isArray(error.data))
        return at(
          parentSchema && 'x-list' in parentSchema
            ? 'must be sent once: separate several values with commas'
            : 'must be sent once',
        );
      return at(`must be ${[schema].flat().map(typeName).join(' or ')}`);
    case 'enum':
      return at(`must be one of ${(schema as unknown[]).filter((word) => word !== null).join(', ')}`);
    case 'minLength':
      return at(schema === 1 ? 'must not be empty' : `must have at least ${schema} characters`);
    case 'maxLength':
      return at(`must have at most ${schema} characters`);
    case 'minimum':
      return at(`must be at least ${schema}`);
    case 'maximum':
      return at(`must be at most ${schema}`);
    case 'minItems':
      return at(schema === 1 ? 'must not be empty' : `must have at least ${schema} entries`);
    case 'maxItems':
      return at(`must have at most ${schema} entries`);
    case 'uniqueItems':
      return at('must not contain duplicates');
    case 'format':
      return at(
        schema === 'uuid'
          ? 'must be a UUID'
          : 'must be a valid date and time in ISO 8601 with an offset, such as 2030-12-01T18:00:00Z',
      );
    default:
      return at('is not valid');
  }
}

const typeName = (type: unknown) =>
  ({
    string: 'a string',
    integer: 'a whole number',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
  })[type as string] ?? String(type);
