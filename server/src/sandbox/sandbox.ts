// The stand-in platform. For now it is its front page alone; publishing brings the rest.
import type { Server } from '../http/server.js';

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sandbox platform</title></head>
<body><h1>Sandbox platform</h1><p>Nothing has been published here yet: publishing is not built yet.</p></body>
</html>
`;

export function sandboxRoutes(server: Server, prefix: string): void {
  server.get(`${prefix}/`, { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', 'text/html; charset=utf-8').send(PAGE),
  );
}
