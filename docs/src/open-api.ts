// The part of the OpenAPI document that the reference shows.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  examples?: unknown[];
}

export interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

export interface OpenApi {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export const nameOf = ({ $ref = '' }: Schema): string => $ref.replace('#/components/schemas/', '');

/** Every component that a schema mentions, itself included, in order. */
export function mentioned(schema: Schema, { components }: OpenApi, found = new Set<string>()): Set<string> {
  if (schema.$ref) {
    const name = nameOf(schema);
    if (found.has(name)) return found;
    found.add(name);
    mentioned(components.schemas[name] ?? {}, { components } as OpenApi, found);
  }
  for (const one of [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.items ? [schema.items] : []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ])
    mentioned(one, { components } as OpenApi, found);
  return found;
}
