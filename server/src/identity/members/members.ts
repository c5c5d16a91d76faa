// The members of an organization and their roles.

import type { App, TxApp } from '../../app/app.js';
import { byCaller, recordAudit } from '../../audit/record.js';
import { toTimestamp } from '../../core/clock.js';
import { AppError } from '../../core/problems.js';
import { markChanged } from '../../db/changes.js';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { PersonRow } from '../../db/tables.js';
import { disableWebhooksOf, recordDisabled } from '../../events/webhooks/ended-keys.js';
import type { Caller, CallerWithAddress, SessionCaller, WithAddress } from '../../request/caller.js';
import { onePage, type Page } from '../../request/pagination.js';
import { assertProved } from '../../request/proof.js';
import { requireFound } from '../../request/require-found.js';
import { deleteFactors } from '../auth/factors/factors.js';
import { lockPerson } from '../auth/people.js';
import { endSessions } from '../auth/sessions.js';
import { revokeKeysOf } from '../keys/family.js';
import { assertKeyCoversRole, assertMayManageOwners, assertNotLastOwner, lockMembers } from './owners.js';
import type { Member, UpdateMember } from './schema.js';

export async function listMembers(app: App, caller: Caller): Promise<Page<Member>> {
  const rows = await app.db.read
    .selectFrom('people')
    .selectAll()
    .where('org_id', '=', caller.orgId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return onePage(rows.map((row) => presentMember(row, caller)));
}

export async function updateMember(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
  { role }: UpdateMember,
): Promise<Member> {
  const owners = await lockMembers(tx, caller);
  const person = await requireMember(tx, caller, id);
  assertKeyCoversRole(caller, role);
  if (role === 'owner' || role === 'admin') assertProved(app, caller);
  if (role === 'owner' || person.role === 'owner') assertMayManageOwners(caller, owners);
  if (role !== 'owner') assertNotLastOwner(owners, person.id);
  if (role === person.role) return presentMember(person, caller);
  // Their open invitations may offer more than the new role allows.
  const invitations_withdrawn = role === 'owner' ? 0 : await withdrawInvitationsOf(tx, person);
  const changed = await tx
    .updateTable('people')
    .set({ role, updated_at: app.clock.now() })
    .where(isRow(person))
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(app, tx, byCaller(caller), {
    action: 'member.role_changed',
    target: person,
    details: { from: person.role, to: role, invitations_withdrawn },
  });
  markChanged(tx, caller.orgId, { members: true });
  return presentMember(changed, caller);
}

/** Ends all sessions of a member, wherever they are signed in. Their keys go on. */
export async function endMemberSessions(
  app: TxApp,
  tx: Tx,
  caller: WithAddress<SessionCaller>,
  id: string,
): Promise<void> {
  const owners = await lockMembers(tx, caller);
  if (!owners.includes(caller.personId))
    throw new AppError('forbidden', 'Only an owner can sign a member out everywhere.');
  const person = await requireMember(tx, caller, id);
  const sessions_ended = await endSessions(tx, person);
  await recordAudit(app, tx, byCaller(caller), {
    action: 'member.sessions_ended',
    target: person,
    details: { sessions_ended },
  });
}

/**
 * Leaves no way back in: no session, link, key or invitation of theirs, and no webhook that was made with one of their keys.
 * Invitations and webhooks that they made in the dashboard belong to the organization and stay.
 */
export async function removeMember(app: TxApp, tx: Tx, caller: CallerWithAddress, id: string): Promise<void> {
  const owners = await lockMembers(tx, caller);
  const person = await requireMember(tx, caller, id);
  if (person.role === 'owner') assertMayManageOwners(caller, owners);
  assertNotLastOwner(owners, person.id);
  const sessions_ended = await endSessions(tx, person);
  const keys = await revokeKeysOf(app, tx, person);
  const invitations_withdrawn = await withdrawInvitationsOf(tx, person);
  await deleteFactors(tx, person);
  await tx.deleteFrom('people').where(isRow(person)).execute();
  const webhooks = await disableWebhooksOf(app, tx, byCaller(caller), keys);
  await recordAudit(app, tx, byCaller(caller), {
    action: caller.via === 'session' && caller.personId === person.id ? 'member.left' : 'member.removed',
    target: person,
    details: {
      role: person.role,
      keys_ended: keys.length,
      sessions_ended,
      invitations_withdrawn,
      webhooks_disabled: webhooks.length,
    },
  });
  markChanged(tx, caller.orgId, { members: true });
  await recordDisabled(app, tx, caller.orgId, webhooks);
}

/** Locked until the transaction ends. */
export const requireMember = (tx: Tx, caller: Caller, id: string): Promise<PersonRow> =>
  requireFound('member', caller, id, (row) => lockPerson(tx, row));

/** Returns how many. */
async function withdrawInvitationsOf(tx: Tx, { org_id, id }: PersonRow): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('invitations')
    .where('org_id', '=', org_id)
    .where('invited_by', '=', id)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export const presentMember = (row: PersonRow, caller: Caller): Member => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  joined_at: toTimestamp(row.created_at),
  last_seen_at: row.last_seen_at === null ? null : toTimestamp(row.last_seen_at),
  is_you: caller.via === 'session' && caller.personId === row.id,
});
