// The one shape of every result: `data` or a `problem`, and what to do `next`. Told as `outputSchema`, by types alone: an agent reads
// the result itself.
import { type TSchema, Type } from 'typebox';
import { Pagination } from '../../request/pagination.js';
import { Problem } from '../../request/schema.js';
import { COMPONENTS } from '../openapi.js';
import { type Tool, tellsTime } from './tool.js';

type Json = Record<string, unknown>;

const components = new Map(COMPONENTS.map((schema) => [(schema as { $id?: string }).$id ?? '', schema]));

export function outputSchemaOf(tool: Tool): Json {
  const { output, list } = tool;
  const named: Json = {};
  const data = plain(output, named);
  return {
    type: 'object',
    properties: {
      data,
      ...(list === 'pages' ? { pagination: plain(Pagination, named) } : {}),
      ...(list === 'stream' ? { has_more: { type: 'boolean' }, gap: { type: 'boolean' } } : {}),
      ...(tellsTime(tool) ? { now: { type: 'string' } } : {}),
      problem: plain(ToolProblem, named),
      next: { type: 'string' },
    },
    oneOf: [{ required: ['data'] }, { required: ['problem'] }],
    additionalProperties: false,
    ...(Object.keys(named).length > 0 ? { $defs: named } : {}),
  };
}

const ToolProblem = Type.Object({
  ...Problem.properties,
  // All codes, once for each tool, would be a quarter of what an agent reads about them.
  code: Type.String(),
  retry_after_seconds: Type.Optional(Type.Number()),
});

const TEXTS = new Set([
  '$id',
  'title',
  'description',
  'examples',
  'example',
  'default',
  'format',
  // It names components of the OpenAPI document.
  'discriminator',
]);

/** Types alone, with the schemas that are named beside them. */
function plain(schema: unknown, named: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => plain(one, named));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema as { $ref?: string };
  if ($ref !== undefined) return { $ref: `#/$defs/${defined($ref.replace(/#$/, ''), named)}` };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !TEXTS.has(key) && !key.startsWith('x-'))
      .map(([key, value]) => [
        key,
        key === 'properties' ? eachOf(value as Json, named) : plain(value, named),
      ]),
  );
}

/** A field may have the name of such a text. */
const eachOf = (properties: Json, named: Json): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, plain(value, named)]));

function defined(name: string, named: Json): string {
  if (!(name in named)) {
    named[name] = {};
    named[name] = plain(components.get(name) as TSchema, named);
  }
  return name;
}
