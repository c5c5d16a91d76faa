import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { Type } from 'typebox';
import { deprecated } from '../request/deprecation.js';
import { ref } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { announceDeprecations } from './deprecation.js';
import { createValidator } from './validation.js';

const Thing = Type.Object(
  {
    name: Type.String(),
    label: Type.Optional(Type.String({ description: 'Use `name`.', ...deprecated('2027-03-01') })),
  },
  { $id: 'Thing' },
);

const Question = Type.Object({ sort: Type.Optional(Type.String(deprecated('2027-05-01'))) });

function newServer(): Server {
  const server = fastify() as unknown as Server;
  server.setValidatorCompiler(createValidator() as never);
  server.addSchema(Thing);
  announceDeprecations(server);
  return server;
}

describe('What is deprecated is announced in the response', () => {
  const server = newServer();
  const answer = async () => ({ name: 'A thing' });
  server.get('/things/:id', { schema: { response: { 200: ref('Thing') } } }, answer);
  server.get(
    '/things',
    { schema: { querystring: Question, response: { 200: Type.Object({ data: Type.Array(ref('Thing')) }) } } },
    async () => ({ data: [] }),
  );
  server.get('/old', { schema: { ...deprecated('2028-02-29'), response: { 200: Type.Object({}) } } }, answer);
  server.get('/new', { schema: { response: { 200: Type.Object({ name: Type.String() }) } } }, answer);

  const headersOf = async (url: string) => {
    const { deprecation, sunset, link } = (await server.inject({ url })).headers;
    return { deprecation, sunset, link };
  };
  const link = '</docs/versioning>; rel="deprecation"; type="text/html"';

  it('for a field of a response, with the day on which it may go', async () => {
    const expected = { deprecation: '@1803859200', sunset: 'Wed, 01 Mar 2028 00:00:00 GMT', link };
    assert.deepEqual(await headersOf('/things/1'), expected);
  });

  it('for the first of several, among them a parameter', async () => {
    assert.deepEqual(await headersOf('/things'), await headersOf('/things/1'));
    assert.deepEqual(await headersOf('/things?sort=a'), await headersOf('/things/1'));
  });

  it('for a whole operation, and when the request is refused', async () => {
    const { deprecation, sunset } = await headersOf('/old');
    assert.deepEqual([deprecation, sunset], ['@1835395200', 'Thu, 01 Mar 2029 00:00:00 GMT']);
    const refused = await server.inject({ url: '/things?unknown=%' });
    assert.ok(refused.headers.sunset);
  });

  it('and nothing else is', async () => {
    assert.deepEqual(await headersOf('/new'), { deprecation: undefined, sunset: undefined, link: undefined });
  });

  it('a route whose response has an unknown schema is refused where it is added', () => {
    const schema = { response: { 200: ref('Forgotten') } };
    assert.throws(() => newServer().get('/forgotten', { schema }, answer), /Forgotten is no known schema/);
  });
});
