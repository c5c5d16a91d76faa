// Invitations by link: shown once, accepted once, within seven days and no later than the key that made them ends.

import type { App, TxApp } from '../../app/app.js';
import { byCaller, byPerson, recordAudit } from '../../audit/record.js';
import { toTimestamp } from '../../core/clock.js';
import { DAY_MS } from '../../core/durations.js';
import { AppError, invalid } from '../../core/problems.js';
import { assertStrongPassword } from '../../core/weak-passwords.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { InvitationRow } from '../../db/tables.js';
import { reserveQuota } from '../../quotas/quotas.js';
import { type Caller, type CallerWithAddress, responsiblePersonId } from '../../request/caller.js';
import { lockKeyOf } from '../../request/made-with.js';
import { onePage, type Page } from '../../request/pagination.js';
import { assertProved } from '../../request/proof.js';
import { requireFound } from '../../request/require-found.js';
import type { Admission } from '../auth/factors/tickets.js';
import { addPerson, personById, sameEmail } from '../auth/people.js';
import { beginSession, type ClientInfo } from '../auth/sessions.js';
import { isToken, makeToken } from '../auth/tokens.js';
import { hashSecret } from '../hash-secret.js';
import { aboutInvitation } from '../invitation-act.js';
import { assertKeyCoversRole, assertMayManageOwners, lockMembers } from './owners.js';
import type {
  AcceptInvitation,
  CreateInvitation,
  Invitation,
  InvitationPreview,
  NewInvitation,
} from './schema.js';

const OPEN_MS = 7 * DAY_MS;

export async function createInvitation(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { role, email }: CreateInvitation,
): Promise<NewInvitation> {
  const owners = await lockMembers(tx, caller);
  assertKeyCoversRole(caller, role);
  if (role === 'owner' || role === 'admin') assertProved(app, caller);
  if (role === 'owner') assertMayManageOwners(caller, owners);
  await reserveQuota(app, tx, caller.orgId, 'invitations');
  const madeWith = await lockKeyOf(tx, caller);
  const token = makeToken();
  const now = app.clock.now();
  const row: InvitationRow = {
    org_id: caller.orgId,
    id: app.newId(),
    hash: hashSecret(token),
    email: email === undefined ? null : sameEmail(email),
    role,
    invited_by: responsiblePersonId(caller),
    made_with: madeWith?.id ?? null,
    created_at: now,
    expires_at: Math.min(now + OPEN_MS, madeWith?.expiresAt ?? Number.POSITIVE_INFINITY),
  };
  await tx.insertInto('invitations').values(row).execute();
  await recordAudit(app, tx, byCaller(caller), aboutInvitation('invitation.created', row));
  const { org_id, invited_by } = row;
  const inviter = invited_by === null ? undefined : await personById(tx, { org_id, id: invited_by });
  return {
    ...presentInvitation({ ...row, inviter: inviter?.name ?? null }),
    url: `${app.urls.publicUrl}/invitation#${token}`,
  };
}

export async function listInvitations(app: App, { orgId }: Caller): Promise<Page<Invitation>> {
  const rows = await openInvitations(app, orgId).orderBy('invitations.id', 'desc').execute();
  return onePage(rows.map(presentInvitation));
}

export async function getInvitation(app: App, caller: Caller, id: string): Promise<Invitation> {
  const row = await requireFound('invitation', caller, id, (row) =>
    openInvitations(app, row.org_id).where('invitations.id', '=', row.id).executeTakeFirst(),
  );
  return presentInvitation(row);
}

const openInvitations = (app: App, orgId: string) =>
  app.db.read
    .selectFrom('invitations')
    .leftJoin('people', (join) =>
      join
        .onRef('people.org_id', '=', 'invitations.org_id')
        .onRef('people.id', '=', 'invitations.invited_by'),
    )
    .selectAll('invitations')
    .select('people.name as inviter')
    .where('invitations.org_id', '=', orgId)
    .where('invitations.expires_at', '>', app.clock.now());

export async function withdrawInvitation(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
): Promise<void> {
  const withdrawn = await requireFound('invitation', caller, id, (row) =>
    tx.deleteFrom('invitations').where(isRow(row)).returning(['id', 'email', 'role']).executeTakeFirst(),
  );
  await recordAudit(app, tx, byCaller(caller), aboutInvitation('invitation.withdrawn', withdrawn));
}

/** What an invitation offers to the holder of its link. */
export async function readInvitation(app: App, token: string): Promise<InvitationPreview> {
  const { organization_name, role, email } = await requireOpenInvitation(app, app.db.read, token);
  return { organization_name, role, email };
}

/** Returns the token of the new member's session. */
export async function acceptInvitation(
  app: App,
  input: AcceptInvitation,
  client: ClientInfo,
): Promise<Admission> {
  // Checked before hashing: a request without an invitation must not cost a hash.
  const { org_id } = await requireOpenInvitation(app, app.db.read, input.token);
  assertStrongPassword(input.password, '/password');
  const passwordHash = await app.passwords.hash(input.password);
  return app.db.transact(async (tx) => {
    await reserveQuota(app, tx, org_id, 'members');
    // Deleted on first use. If the email turns out to be taken, the rollback keeps the link valid.
    const invitation = await tx
      .deleteFrom('invitations')
      .where('hash', '=', hashSecret(input.token))
      .where('expires_at', '>', app.clock.now())
      .returningAll()
      .executeTakeFirst();
    if (!invitation) throw unknown();
    if (invitation.email !== null && invitation.email !== sameEmail(input.email))
      throw invalid([{ pointer: '/email', message: 'must be the invited email address' }]);
    const person = await addPerson(app, tx, {
      org_id: invitation.org_id,
      name: input.name,
      email: input.email,
      role: invitation.role,
      password_hash: passwordHash,
    });
    const act = aboutInvitation('invitation.accepted', invitation);
    await recordAudit(app, tx, byPerson(person, client.ip), act);
    return { token: await beginSession(app, tx, person, client, null) };
  });
}

async function requireOpenInvitation(app: Pick<TxApp, 'clock'>, read: Reader, token: string) {
  const found = isToken(token)
    ? await read
        .selectFrom('invitations')
        .innerJoin('organizations', 'organizations.id', 'invitations.org_id')
        .select([
          'invitations.org_id',
          'organizations.name as organization_name',
          'invitations.role',
          'invitations.email',
        ])
        .where('invitations.hash', '=', hashSecret(token))
        .where('invitations.expires_at', '>', app.clock.now())
        .executeTakeFirst()
    : undefined;
  if (!found) throw unknown();
  return found;
}

const unknown = () =>
  new AppError(
    'not_found',
    'This invitation was accepted or withdrawn, is older than seven days, or never existed. Ask for a new one.',
  );

const presentInvitation = (row: InvitationRow & { inviter: string | null }): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  created_at: toTimestamp(row.created_at),
  expires_at: toTimestamp(row.expires_at),
  invited_by: row.inviter,
});
