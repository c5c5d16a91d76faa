// Announces in the headers of a response what is deprecated: the operation, or a field that it takes or returns (RFC 9745 and
// RFC 8594; docs/guides/versioning.md).
import type { FastifySchema } from 'fastify';
import type { Deprecation } from '../request/deprecation.js';
import type { Server } from '../request/server.js';

const GUIDE = '</docs/versioning>; rel="deprecation"; type="text/html"';

/** Parts of schemas that are no schemas of the server: values, and what only the document says. */
const UNREAD = new Set(['examples', 'x-list']);

export function announceDeprecations(server: Server): void {
  const known = new Map<string, Deprecation[]>();
  const inSchema = (schema: unknown): Deprecation[] => {
    if (typeof schema !== 'object' || schema === null) return [];
    const { $ref } = schema as { $ref?: unknown };
    if (typeof $ref === 'string') return inShared($ref.replace(/#$/, ''));
    const inner = Object.entries(schema).flatMap(([name, part]) => (UNREAD.has(name) ? [] : inSchema(part)));
    return isDeprecation(schema) ? [schema, ...inner] : inner;
  };
  /** Many routes return the same ones. */
  const inShared = (id: string): Deprecation[] => {
    let found = known.get(id);
    if (!found) {
      const schema = server.getSchema(id);
      if (!schema) throw new Error(`${id} is no known schema: add it to COMPONENTS in http/openapi.ts`);
      found = inSchema(schema);
      known.set(id, found);
    }
    return found;
  };
  server.addHook('onRoute', (route) => {
    const found = inSchema(route.schema && withoutRefusals(route.schema));
    if (found.length === 0) return;
    const headers = headersFor(found);
    // Set early, so that refusals have them too.
    route.onRequest = [
      (_request, reply, done) => {
        reply.headers(headers);
        done();
      },
      ...[route.onRequest ?? []].flat(),
    ];
  });
}

/** Refusals are the same everywhere, and the longest part. */
const withoutRefusals = ({ response = {}, ...others }: FastifySchema): object => ({
  ...others,
  response: Object.entries(response as object).flatMap(([status, part]) => (status < '400' ? [part] : [])),
});

const isDeprecation = (schema: object): schema is Deprecation => 'x-deprecated-since' in schema;

/** If there are several, the headers name the first to be announced and the first to end. */
function headersFor(found: readonly Deprecation[]): Record<string, string> {
  const first = (days: string[]) => new Date(days.toSorted()[0] as string);
  const since = first(found.map((one) => one['x-deprecated-since']));
  const sunset = first(found.map((one) => one['x-sunset']));
  return { deprecation: `@${since.getTime() / 1000}`, sunset: sunset.toUTCString(), link: GUIDE };
}
