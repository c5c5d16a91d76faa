// What the id in a request names.
import { asUuid } from '../core/ids.js';
import { notFound } from '../core/problems.js';
import type { Caller } from './caller.js';

/** Fails with the same bytes if the id is malformed, unknown or another organization's: the response must not tell which it was. */
export async function requireFound<T>(
  thing: string,
  { orgId }: Pick<Caller, 'orgId'>,
  id: string,
  find: (row: { org_id: string; id: string }) => Promise<T | undefined>,
): Promise<T> {
  const uuid = asUuid(id);
  const found = uuid === null ? undefined : await find({ org_id: orgId, id: uuid });
  if (found === undefined) throw notFound(thing);
  return found;
}
