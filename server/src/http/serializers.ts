// Response serializers, compiled when a route first answers and not at the start. A route declares a dozen responses and
// most are problems, which are sent as text: of 666 serializers 77 are ever used.
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

type BuildSerializer = NonNullable<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>['buildSerializer']
>;

export function buildSerializerLazily(): BuildSerializer {
  const build = SerializerSelector() as BuildSerializer;
  return (schemas, options) => {
    const compile = build(schemas, options);
    return (route) => {
      let serialize: ReturnType<typeof compile> | undefined;
      return (data) => {
        serialize ??= compile(route);
        return serialize(data);
      };
    };
  };
}
