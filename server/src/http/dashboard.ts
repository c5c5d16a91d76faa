// Serves the dashboard's files. Until the dashboard is built this is one page that says so.
import { readFileSync } from 'node:fs';
import type { Server } from './server.js';

const PAGE = new URL('../../../../web/index.html', import.meta.url);

export function dashboardRoutes(server: Server): void {
  const page = readFileSync(PAGE);
  server.get('/', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .send(page),
  );
}
