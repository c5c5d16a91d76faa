// Only owners make and unmake owners, and one always remains. Changes of members and roles are serialized, so that two
// owners who demote each other at the same moment do not both succeed.

import { ROLE_SCOPES, type Role, type Scope } from '../../app/scopes.js';
import { AppError, forbiddenRole, forbiddenScope, unauthorized } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';
import { lockOrganization } from '../../db/lock-organization.js';
import { type Caller, responsiblePersonId } from '../../request/caller.js';
import { personById } from '../auth/people.js';

/**
 * The ids of the owners. Locks members and roles until this transaction ends, and rejects a caller who was removed or
 * demoted a moment ago.
 */
export async function lockMembers(tx: Tx, caller: Caller): Promise<string[]> {
  const { orgId } = caller;
  await lockOrganization(tx, orgId);
  await assertStillManages(tx, caller);
  const owners = await tx
    .selectFrom('people')
    .select('id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'owner')
    .execute();
  return owners.map(({ id }) => id);
}

async function assertStillManages(tx: Tx, caller: Caller): Promise<void> {
  const id = responsiblePersonId(caller);
  if (id === null) return;
  const person = await personById(tx, { org_id: caller.orgId, id });
  if (!person)
    throw unauthorized(
      caller.via === 'session'
        ? 'The session has ended. Sign in again.'
        : 'The person who created this key is no longer a member.',
    );
  const scopes: readonly Scope[] = ROLE_SCOPES[person.role];
  if (scopes.includes('org:manage')) return;
  throw caller.via === 'session' ? forbiddenRole(person.role, 'org:manage') : forbiddenScope('org:manage');
}

/** A key may invite only the first owner: otherwise an admin could issue a key and become an owner with it. */
export function assertMayManageOwners(caller: Caller, owners: string[]): void {
  const may = caller.via === 'session' ? owners.includes(caller.personId) : owners.length === 0;
  if (!may)
    throw new AppError('forbidden', 'Only an owner can make someone an owner, or change or remove an owner.');
}

/** A key never grants more than it has: otherwise it could bring in a member with a higher role. */
export function assertKeyCoversRole(caller: Caller, role: Role): void {
  if (caller.via !== 'key') return;
  const missing = ROLE_SCOPES[role].find((scope) => !caller.scopes.has(scope));
  if (missing) throw forbiddenScope(missing);
}

export function assertNotLastOwner(owners: string[], id: string): void {
  if (owners.length === 1 && owners[0] === id)
    throw new AppError('last_owner', 'This is the only owner. Make another member an owner first.');
}
