// Examples from the OpenAPI document: of a response, and of each name that a request needs.
import { type Content, nameOf, type OpenApi, type Operation, type Schema } from '../open-api.js';

/** Schemas that contain themselves end here. */
const MAX_DEPTH = 8;

/** The example that the document gives, or else one that its schema makes. */
export function exampleOf({ example, examples, schema }: Content, api: OpenApi): unknown {
  if (example !== undefined) return example;
  const [first] = Object.values(examples ?? {});
  return first?.value ?? (schema && fromSchema(schema, api));
}

function fromSchema(schema: Schema, api: OpenApi, depth = 0): unknown {
  const { $ref, examples, enum: choices, const: only, anyOf, oneOf, properties, items } = schema;
  if (examples && examples.length > 0) return examples[0];
  if (depth > MAX_DEPTH) return null;
  if ($ref) return fromSchema(api.components.schemas[nameOf(schema)] ?? {}, api, depth + 1);
  if (only !== undefined) return only;
  if (choices) return choices[0];
  const [first] = anyOf ?? oneOf ?? [];
  if (first) return fromSchema(first, api, depth + 1);
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, fromSchema(field, api, depth + 1)]),
    );
  if (items) return [fromSchema(items, api, depth + 1)];
  return plainValue(schema);
}

function plainValue({ type, format, default: preset }: Schema): unknown {
  if (preset !== undefined) return preset;
  const types = [type ?? 'string'].flat();
  if (types.includes('null')) return null;
  if (types.includes('boolean')) return true;
  if (types.includes('integer') || types.includes('number')) return 1;
  if (types.includes('object')) return {};
  return format === 'date-time' ? '2030-12-01T18:00:00Z' : '…';
}

/** What a success looks like: its status, and its body if that is JSON. */
export function successOf({ responses, parameters = [] }: Operation, api: OpenApi) {
  const [status = '', response] = Object.entries(responses).find(([code]) => code < '300') ?? [];
  const types = Object.keys(response?.content ?? {});
  const json = response?.content?.['application/json'];
  const body = json && exampleOf(json, api);
  return {
    status,
    types,
    body: isPage(body) ? { ...body, pagination: onlyPage(body.data, parameters) } : body,
  };
}

const isPage = (body: unknown): body is { data: unknown[] } => {
  const { data, pagination } = Object(body);
  return Array.isArray(data) && pagination !== undefined;
};

/** The example of a list is all of it: the numbers of the schema are about another one. */
function onlyPage({ length }: unknown[], parameters: NonNullable<Operation['parameters']>) {
  const { default: preset, maximum } = parameters.find(({ name }) => name === 'per_page')?.schema ?? {};
  return { page: 1, per_page: preset ?? maximum ?? length, total: length, total_pages: 1 };
}

/** The value of a parameter of the path, or of a query that cannot do without it. */
export function parameterExample(name: string, template: string, api: OpenApi): string {
  const end = template.lastIndexOf(`/{${name}}`);
  const itself = Object(dataAt(template.slice(0, end + name.length + 3), api));
  // A thing that is listed has its id there; others, what reading them returns.
  const found = [
    end === -1 ? undefined : Reflect.get(Object(firstOf(dataAt(template.slice(0, end), api))), 'id'),
    Reflect.get(Object(firstOf(dataAt(template, api))), name),
    Reflect.get(itself, name),
    Reflect.get(itself, 'id'),
  ].find((value) => typeof value === 'string');
  if (found === undefined) throw new Error(`The document has no example of ${name} in ${template}`);
  return found;
}

const firstOf = (data: unknown): unknown => (Array.isArray(data) ? data[0] : data);

/** `data` of what GET at this path returns. */
function dataAt(path: string, api: OpenApi): unknown {
  const read = api.paths[path]?.get;
  return read && (successOf(read, api).body as { data?: unknown } | undefined)?.data;
}
