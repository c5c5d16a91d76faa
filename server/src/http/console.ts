// The console of the API: every operation, to try out with a key, without contacting any other host.
import swaggerUi from '@fastify/swagger-ui';
import type { Server } from '../request/server.js';

/** The page may load only its own files. Its icons are data URLs, and it sets inline styles. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const KEPT =
  'The console keeps it in this tab until you close the tab or log out, also when you load the page again (sessionStorage).';

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
    transformSpecification: (document) => forConsole(document as unknown as Document),
  });
}

interface Parameter {
  description?: string;
  example?: unknown;
  examples?: unknown;
  schema?: Record<string, unknown>;
}

interface Document {
  info: { description: string };
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
  components: { parameters: Record<string, Parameter>; securitySchemes: { apiKey: { description: string } } };
}

/** A form fills in examples and defaults as if the person had chosen them, and so would send filters that were never wanted. */
function forConsole(document: Document): Document {
  const { info, components, paths } = document;
  info.description = `**Your key.** Enter it under *Authorize*. ${KEPT}\n\n${info.description}`;
  components.securitySchemes.apiKey.description += `. ${KEPT}`;
  for (const parameter of Object.values(components.parameters)) leaveEmpty(parameter);
  for (const path of Object.values(paths))
    for (const { parameters = [] } of Object.values(path)) parameters.forEach(leaveEmpty);
  return document;
}

function leaveEmpty(parameter: Parameter): void {
  delete parameter.example;
  delete parameter.examples;
  const { schema } = parameter;
  if (!schema) return;
  const { default: preset } = schema;
  for (const name of ['example', 'examples', 'default']) delete schema[name];
  if (preset !== undefined)
    parameter.description = [parameter.description, `Default: ${preset}`].filter(Boolean).join('. ');
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
  const write = (values: object) => sessionStorage.setItem(NAME, JSON.stringify(values));
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
