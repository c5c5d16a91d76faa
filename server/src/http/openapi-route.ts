// The OpenAPI document as clients fetch it: with this installation's own address, compressed, and only if it has changed.
import type { App } from '../app/app.js';
import { cookieName } from '../request/cookie.js';
import type { Server } from '../request/server.js';
import { represent, sendRepresentation } from './representation.js';

export function documentRoute(server: Server, app: App): void {
  let made: ReturnType<typeof represent> | undefined;

  server.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    // The public address is known only now: the port may have been chosen by the system.
    made ??= represent(documentOf(server, app), 'application/json');
    return sendRepresentation(request, reply, await made);
  });
}

/** The committed document, as this installation is reached. */
function documentOf(server: Server, app: App): string {
  const { components, ...document } = server.swagger() as OpenApi;
  const { session } = components.securitySchemes;
  return JSON.stringify({
    ...document,
    servers: [{ url: app.urls.publicUrl, description: 'This installation' }],
    components: {
      ...components,
      securitySchemes: {
        ...components.securitySchemes,
        session: { ...session, name: cookieName(app.config) },
      },
    },
  });
}

interface OpenApi {
  components: { securitySchemes: Record<'session', object> };
}
