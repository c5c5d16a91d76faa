// The API reference: one page for each tag of the OpenAPI document, as Markdown like every other page.
import { expandComponents } from '@airdate/server/src/http/openapi-components.js';
import { accessOf } from '@airdate/server/src/request/access.js';
import { addressOf, type Page } from './contents.js';
import { anchorOf, OPERATIONS } from './markdown.js';
import { mentioned, nameOf, type OpenApi, type Operation, type Schema } from './open-api.js';
import { callOf } from './samples/call.js';
import { successOf } from './samples/examples.js';
import { samplesOf } from './samples/samples.js';

const GROUP = 'API reference';
export const slugOf = (tag: string) => `api/${anchorOf(tag)}`;

/** Every operation can fail in these ways; the catalogue of errors explains them. */
const COMMON = new Set(
  'validation_failed malformed_json bad_request unauthorized insufficient_scope forbidden payload_too_large unsupported_media_type idempotency_key_in_use idempotency_key_reused rate_limited internal_error busy unavailable no_space'.split(
    ' ',
  ),
);

interface Route extends Operation {
  method: string;
  path: string;
}

export function referencePages(document: OpenApi): Page[] {
  const api = expandComponents(document);
  const routes = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ ...operation, method, path })),
  );
  const homes = homesOf(api, routes);
  const pages = api.tags.map(({ name, description }): Page => {
    const own = routes.filter(({ tags }) => tags[0] === name);
    const schemas = [...homes].filter(([, tag]) => tag === name).map(([schema]) => schema);
    const parts = [
      `${description}.`,
      ...(own.length > 1 ? [operationTable(own, '')] : []),
      ...own.map((route) => operationText(route, api, homes)),
      ...schemas.map(
        (schema) => `## ${schema}\n\n${fieldTable(api.components.schemas[schema] ?? {}, homes)}`,
      ),
    ];
    return {
      slug: slugOf(name),
      title: name,
      summary: `${description}.`,
      group: GROUP,
      markdown: parts.join('\n\n'),
    };
  });
  return [overview(api, routes), ...pages];
}

/** Every operation of the API, by the page that describes it. */
function overview({ tags }: OpenApi, routes: Route[]): Page {
  const parts = tags.map(({ name, description }) => {
    const address = addressOf(slugOf(name));
    const own = routes.filter((route) => route.tags[0] === name);
    return `## ${name}\n\n[${description}](${address}).\n\n${operationTable(own, address)}`;
  });
  return {
    slug: 'api',
    title: 'All operations',
    summary: 'Every operation of the API, with its method and path.',
    group: GROUP,
    markdown: [
      'Every operation of the API, with its method and path. The [console](/docs/console) lets you try each with your key.',
      ...parts,
    ].join('\n\n'),
  };
}

/** The header tells the search that the operations themselves are better results. */
const operationTable = (routes: Route[], address: string): string =>
  [
    `| ${OPERATIONS} | Request |\n|---|---|`,
    ...routes.map(({ method, path, summary }) =>
      row(`[${summary}](${address}#${anchorOf(summary)})`, `\`${method.toUpperCase()} ${path}\``),
    ),
  ].join('\n');

/** Each schema is described on the page of the first tag that uses it. */
function homesOf(api: OpenApi, routes: Route[]): Map<string, string> {
  const homes = new Map<string, string>();
  for (const { name } of api.tags)
    for (const { requestBody, responses } of routes.filter(({ tags }) => tags[0] === name))
      for (const { content } of [
        requestBody ?? {},
        ...Object.values(responses),
      ] as Route['responses'][string][])
        for (const schema of mentioned(content?.['application/json']?.schema ?? {}, api))
          if (!homes.has(schema)) homes.set(schema, name);
  return homes;
}

function operationText(route: Route, api: OpenApi, homes: Map<string, string>): string {
  const { method, path, summary, description = '', parameters = [], requestBody, responses } = route;
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const success = successOf(route, api);
  const isPlain = type === 'application/json' && body?.schema;
  return [
    `## ${summary}`,
    `\`${method.toUpperCase()} ${path}\` · ${accessText(route)}`,
    description,
    samplesOf(callOf(method, path, route, api)),
    parameters.length > 0 && `**Parameters**\n\n${parameterTable(parameters, homes)}`,
    isPlain && `**Body**\n\n${fieldTable(body.schema as Schema, homes)}`,
    successText(responses, homes),
    success.body !== undefined && `\`\`\`json response\n${JSON.stringify(success.body, null, 2)}\n\`\`\``,
    problemsText(responses),
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('\n\n');
}

function accessText({ method, path }: Route): string {
  const access = accessOf(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'));
  if (access === 'public') return 'no credentials';
  if (access === 'key') return 'any key or session';
  if (access === 'session')
    return 'a signed-in person; `AIRDATE_COOKIE` is `airdate=…`, the cookie that a sign-in answers with';
  if (access === 'operator') return 'the operator (`ADMIN_TOKEN`)';
  return `scope \`${access}\``;
}

function successText(responses: Operation['responses'], homes: Map<string, string>): string {
  return Object.entries(responses)
    .filter(([status]) => status < '300')
    .map(([status, { content, description }]) => {
      const schema = content?.['application/json']?.schema;
      const data = schema?.properties?.data;
      if (data) return `**Response** ${status}, \`data\`: ${typeText(data, homes)}.`;
      if (schema) return `**Response** ${status}: ${typeText(schema, homes)}.`;
      const types = Object.keys(content ?? {}).map((one) => `\`${one}\``);
      return `**Response** ${status}: ${types.length > 0 ? types.join(' or ') : description.toLowerCase()}.`;
    })
    .join('\n\n');
}

function problemsText(responses: Operation['responses']): string {
  const codes = Object.values(responses).flatMap(({ content }) =>
    (content?.['application/problem+json']?.schema?.allOf ?? []).flatMap(
      ({ properties }) => (properties?.code?.enum ?? []) as string[],
    ),
  );
  const own = [...new Set(codes)].filter((code) => !COMMON.has(code));
  if (own.length === 0) return '';
  return `**Problems:** ${own.map((code) => `[\`${code}\`](${addressOf(`errors/${code}`)})`).join(', ')}`;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;

const parameterTable = (
  parameters: NonNullable<Operation['parameters']>,
  homes: Map<string, string>,
): string =>
  [
    '| Name | In | Type | Meaning |\n|---|---|---|---|',
    ...parameters.map(({ name, in: place, required, description = '', schema }) =>
      row(
        `\`${name}\`${required ? ' (required)' : ''}`,
        place,
        typeText(schema, homes),
        meaningOf({ ...schema, description: [description, rangeOf(schema)].filter(Boolean).join('. ') }),
      ),
    ),
  ].join('\n');

const rangeOf = ({ minimum, maximum }: Schema): string =>
  minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum.toLocaleString('en')}`;

function fieldTable(schema: Schema, homes: Map<string, string>): string {
  const [known, own] = schema.allOf ?? [];
  if (known && own) return `All fields of ${typeText(known, homes)}, and:\n\n${fieldTable(own, homes)}`;
  const rows = fieldRows(schema, homes, '');
  // An empty object, which may be left out.
  if (rows.length === 0 && schema.properties) return 'None is needed.';
  if (rows.length === 0) return typeText(schema, homes);
  return ['| Field | Type | Meaning |\n|---|---|---|', ...rows].join('\n');
}

function fieldRows(schema: Schema, homes: Map<string, string>, prefix: string): string[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const isRequired = required.includes(name);
    const inner = field.items?.properties ? field.items : field;
    const nested = inner.properties
      ? fieldRows(inner, homes, `${prefix}${name}${inner === field ? '' : '[]'}.`)
      : [];
    const label = `\`${prefix}${name}\`${isRequired ? '' : ' (optional)'}`;
    return [row(label, typeText(field, homes), meaningOf(field)), ...nested];
  });
}

const meaningOf = ({ description = '', default: preset }: Schema): string =>
  preset === undefined
    ? description
    : `${description}${description && (description.endsWith('.') ? ' ' : '. ')}Default: \`${JSON.stringify(preset)}\``;

function typeText(schema: Schema, homes: Map<string, string>): string {
  if (schema.$ref) {
    const name = nameOf(schema);
    const home = homes.get(name);
    return home ? `[${name}](${addressOf(slugOf(home))}#${anchorOf(name)})` : name;
  }
  if (schema.allOf?.[0]) return typeText(schema.allOf[0], homes);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((one) => typeText(one, homes)).join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  const types = [schema.type ?? 'any'].flat();
  const words = types.map((type) => {
    if (type === 'array') return `list of ${typeText(schema.items ?? {}, homes)}`;
    return type === 'string' && schema.format ? schema.format : type;
  });
  return words.join(' or ');
}
