// The console of the API: every operation, to try out with a key, without contacting any other host.
import swaggerUi from '@fastify/swagger-ui';
import type { Server } from '../request/server.js';
import { expandComponents } from './openapi-components.js';

/** The page may load only its own files. Its icons are data URLs, and it sets inline styles. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const KEPT =
  'An API key of the organization. The console keeps it in this tab until you close the tab or log out, also when you load the page again (sessionStorage).';

export async function serveConsole(server: Server): Promise<void> {
  await server.register(swaggerUi, {
    routePrefix: '/docs/console',
    uiConfig: {
      layout: 'BaseLayout',
      validatorUrl: null,
      deepLinking: true,
      plugins: [keepKeyInTab],
    } as object,
    staticCSP: PAGE_POLICY,
    theme: { title: 'Airdate API console' },
    transformSpecification: (document) => forConsole(document as Document),
  });
}

interface Parameter {
  in: string;
  example?: unknown;
  examples?: unknown;
  schema?: Record<string, unknown>;
}

interface Document {
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
  components: { securitySchemes: { apiKey: { description: string } } };
}

/** A form fills in examples and defaults as if the person had chosen them, and so would send filters that were never wanted. */
export function forConsole(document: Document): Document {
  const expanded = expandComponents(document);
  expanded.components.securitySchemes.apiKey.description = KEPT;
  for (const path of Object.values(expanded.paths))
    for (const { parameters = [] } of Object.values(path))
      for (const parameter of parameters) {
        delete parameter.example;
        delete parameter.examples;
        const { example: _, examples: __, default: preset, ...schema } = parameter.schema ?? {};
        if (preset !== undefined)
          schema.description = [schema.description, `Default: ${preset}`].filter(Boolean).join('. ');
        parameter.schema = schema;
      }
  return expanded;
}

interface Auth {
  authActions: { authorize(payload: object): void };
}

/**
 * A plugin of Swagger UI, which is sent to the browser as its own text: it may use nothing from here. The library can only keep a key
 * in localStorage, for every tab and for ever.
 */
function keepKeyInTab() {
  const NAME = 'airdate-console';
  const read = (): Record<string, object> => JSON.parse(sessionStorage.getItem(NAME) ?? '{}');
  const write = (kept: object) => sessionStorage.setItem(NAME, JSON.stringify(kept));
  return {
    afterLoad: ({ authActions }: Auth) => authActions.authorize(read()),
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (authorize: (payload: object) => unknown) => (payload: object) => {
            write({ ...read(), ...payload });
            return authorize(payload);
          },
          logout: (logout: (names: string[]) => unknown) => (names: string[]) => {
            write(Object.fromEntries(Object.entries(read()).filter(([name]) => !names.includes(name))));
            return logout(names);
          },
        },
      },
    },
  };
}
