// Links with which a member sets a new password, made by a colleague who hands them over.
import type { TxApp } from '../../app/app.js';
import { byCaller, recordAudit } from '../../audit/record.js';
import { toTimestamp } from '../../core/clock.js';
import { DAY_MS } from '../../core/durations.js';
import type { Tx } from '../../db/database.js';
import type { SessionCaller, WithAddress } from '../../request/caller.js';
import { createResetLink } from '../auth/reset.js';
import { requireMember } from './members.js';
import { assertMayManageOwners, lockMembers } from './owners.js';
import type { ResetLink } from './schema.js';

/** People hand it over by other means than mail, which may take hours. */
const HANDED_OVER_MS = DAY_MS;

/** The holder of the link can take over the member, so an admin cannot make one for an owner. */
export async function createMemberResetLink(
  app: TxApp,
  tx: Tx,
  caller: WithAddress<SessionCaller>,
  id: string,
): Promise<ResetLink> {
  const owners = await lockMembers(tx, caller);
  const person = await requireMember(tx, caller, id);
  if (person.role === 'owner') assertMayManageOwners(caller, owners);
  const { url, expiresAt } = await createResetLink(app, tx, person, caller.personId, HANDED_OVER_MS);
  await recordAudit(app, tx, byCaller(caller), { action: 'member.reset_link_created', target: person });
  return { url, expires_at: toTimestamp(expiresAt) };
}
