// Owners make and unmake owners, and one always stays. Changes of who belongs to an organization, and as what, take turns, so
// that two owners who demote each other at the same moment do not both succeed.

import { type Caller, responsiblePersonId } from '../../api/caller.js';
import { ROLE_SCOPES, type Role, type Scope } from '../../api/scopes.js';
import type { Tx } from '../../db/database.js';
import { AppError, forbiddenRole, forbiddenScope, unauthorized } from '../../ground/problems.js';
import { personById } from '../people/people.js';

/**
 * The ids of the owners. Until this transaction ends nobody else changes who belongs to the organization, or as what; so a
 * caller who was removed or demoted a moment ago is noticed here.
 */
export async function lockMembers(tx: Tx, caller: Caller): Promise<string[]> {
  const { orgId } = caller;
  // Not "for update": that would stop everybody who writes something that refers to the organization.
  await tx.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
  await mustStillManage(tx, caller);
  const owners = await tx
    .selectFrom('people')
    .select('id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'owner')
    .execute();
  return owners.map(({ id }) => id);
}

async function mustStillManage(tx: Tx, caller: Caller): Promise<void> {
  const id = responsiblePersonId(caller);
  if (id === null) return;
  const person = await personById(tx, caller.orgId, id);
  if (!person)
    throw unauthorized(
      caller.via === 'session'
        ? 'The session is over. Sign in again.'
        : 'Whoever made this key is no member any more.',
    );
  const scopes: readonly Scope[] = ROLE_SCOPES[person.role];
  if (scopes.includes('org:manage')) return;
  throw caller.via === 'session' ? forbiddenRole(person.role, 'org:manage') : forbiddenScope('org:manage');
}

/** A key may bring the first owner in. Later it may not: an admin can issue one, and would be owner with it. */
export function mustHandleOwners(caller: Caller, owners: string[]): void {
  const may = caller.via === 'session' ? owners.includes(caller.personId) : owners.length === 0;
  if (!may)
    throw new AppError('forbidden', 'Only an owner may make somebody an owner, or change or remove one.');
}

/** A key never grants more than it has: somebody could otherwise come in with a role above it. */
export function mustCover(caller: Caller, role: Role): void {
  if (caller.via !== 'key') return;
  const missing = ROLE_SCOPES[role].find((scope) => !caller.scopes.has(scope));
  if (missing) throw forbiddenScope(missing);
}

export function mustNotBeLast(owners: string[], id: string): void {
  if (owners.length === 1 && owners[0] === id)
    throw new AppError('last_owner', 'This is the only owner. Make somebody else an owner first.');
}
