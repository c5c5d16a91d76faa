// The baseline for the disk store, as a process of its own: Node's streams between HTTP and one file, with nothing in
// between. It flushes the file before it answers, as the store must.
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

const file = process.argv[2] as string;

const server = createServer(async (request, response) => {
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(file, { flush: true }));
    response.end();
  } else {
    response.setHeader('content-length', statSync(file).size);
    await pipeline(createReadStream(file), response);
  }
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`The bare copy is ready at http://127.0.0.1:${port}\n`);
});
