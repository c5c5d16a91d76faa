// The shape of every list, and of what a creation answers.
import assert from 'node:assert/strict';
import type { TestService } from '../../support/service/harness.js';
import type { Operation } from '../../support/service/routes.js';
import type { Answer } from '../../support/service/send.js';

/** Lists that are not read by page: a log that is read on from a position, and the few files of a post. */
const LISTS_OF_THEIR_OWN: Readonly<Record<string, string[]>> = {
  'GET /api/v1/events': ['data', 'has_more', 'gap'],
  'GET /api/v1/posts/:id/assets': ['data', 'pending', 'rejected'],
};

export const isList = ({ method, responses }: Operation): boolean =>
  method === 'GET' && dataOf(responses, '200')?.type === 'array';

export const isCreation = ({ responses }: Operation): boolean => '201' in responses;

const dataOf = (responses: Operation['responses'], status: string) =>
  responses[status]?.content?.['application/json']?.schema.properties?.data;

export function assertListShape({ route }: Operation, { json }: Answer): void {
  assert.ok(Array.isArray(json.data));
  const own = LISTS_OF_THEIR_OWN[route];
  if (own) return assert.deepEqual(Object.keys(json).sort(), own.toSorted());
  const { page, per_page, total, total_pages, ...more } = json.pagination ?? {};
  assert.deepEqual(more, {});
  assert.equal(page, 1);
  assert.equal(total_pages, Math.ceil(total / per_page));
  assert.equal(json.data.length, Math.min(total, per_page));
}

/** By the same caller; what a visitor creates begins a session, which reads it. */
export async function assertReadableAtLocation(
  service: TestService,
  { status, headers, json }: Answer,
  caller: Record<string, string>,
): Promise<void> {
  assert.equal(status, 201);
  const location = headers.get('location');
  assert.match(location ?? '', /^\/api\//, 'no Location');
  const [cookie] = (headers.get('set-cookie') ?? '').split(';');
  const read = await service.request('GET', location as string, {
    headers: cookie ? { ...caller, cookie } : caller,
  });
  assert.equal(read.status, 200, `${location}: ${read.text}`);
  assert.equal(read.json.data.id, json.data.id);
}
