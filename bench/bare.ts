// The baseline for the API: Fastify with one JSON route. DATABASE_URL adds a route with one query by key, PICTURE one that
// sends this file.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import pg from 'pg';

const server = fastify();
const answer = { type: 'object', properties: { hello: { type: 'string' } } };
server.get('/healthz', async () => ({}));
server.get('/bare', { schema: { response: { 200: answer } } }, async () => ({ hello: 'world' }));

if (process.env.DATABASE_URL) {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  server.get<{ Params: { org: string; id: string } }>('/post/:org/:id', async (request) => {
    const { rows } = await pool.query({
      name: 'post_by_id',
      text: 'select * from posts where org_id = $1 and id = $2',
      values: [request.params.org, request.params.id],
    });
    return { data: rows[0] };
  });
}

if (process.env.PICTURE) {
  const picture = readFileSync(process.env.PICTURE);
  server.get('/picture.jpg', (_request, reply) => reply.type('image/jpeg').send(picture));
}

await server.listen({ host: '127.0.0.1', port: 0 });
const { port } = server.server.address() as { port: number };
process.stdout.write(`The bare server is ready at http://127.0.0.1:${port}\n`);
process.on('SIGTERM', () => process.exit(0));
