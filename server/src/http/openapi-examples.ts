// An example of every success, beside the response that it is an example of. It is made of the examples of the schemas, and what a request's
// example sends comes back in it.

interface Schema {
  $ref?: string;
  examples?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

interface Operation {
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}

export interface WithExamples {
  paths?: object | undefined;
  components?: object | undefined;
}

export function addExamples<T extends WithExamples>(document: T): T {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const successes = Object.values(document.paths ?? {}).flatMap((path) =>
    (Object.values(path) as Operation[]).flatMap(({ requestBody, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status < '300' || status === '503')
        .flatMap(([, { content = {} }]) => Object.values(content))
        .map((media) => ({ media, sent: firstExample(requestBody?.content['application/json']) })),
    ),
  );
  for (const { media, sent } of successes) {
    if (!media.schema || media.example !== undefined || media.examples) continue;
    const example = exampleOf(media.schema, schemas);
    if (example !== undefined) media.example = withSent(example, sent);
  }
  // They have served their purpose; what generators and readers show is beside the response.
  for (const schema of Object.values(schemas)) removeExamples(schema);
  for (const { media } of successes) if (media.schema) removeExamples(media.schema);
  return document;
}

const firstExample = (media: Media | undefined): unknown => Object.values(media?.examples ?? {})[0]?.value;

/** The schema's own example, or one assembled from those of its parts; undefined when a part has none. */
function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split('/').at(-1) as string] ?? {}, schemas);
  if (schema.examples) return schema.examples[0];
  if (schema.items) {
    const item = exampleOf(schema.items, schemas);
    return item === undefined ? undefined : [item];
  }
  if (!schema.properties) return undefined;
  const parts = Object.entries(schema.properties).map(
    ([name, part]) => [name, exampleOf(part, schemas)] as const,
  );
  return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of `data` that the request has set. */
function withSent(example: unknown, sent: unknown): unknown {
  if (!isObject(example) || !isObject(example.data) || !isObject(sent)) return example;
  const data = Object.entries(example.data).map(([name, value]) => [name, name in sent ? sent[name] : value]);
  return { ...example, data: Object.fromEntries(data) };
}

function removeExamples(schema: Schema): void {
  delete schema.examples;
  for (const part of [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])])
    removeExamples(part);
}
