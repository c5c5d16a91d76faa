// What the audit log says of an invitation. Invitations end with their member, with the key that made them, or by themselves.
import type { Act } from '../audit/record.js';
import type { InvitationRow } from '../db/tables.js';

/** Named after the invited address; an invitation for anyone with the link has no name. */
export const aboutInvitation = (
  action: 'invitation.created' | 'invitation.withdrawn' | 'invitation.accepted',
  { id, email, role }: Pick<InvitationRow, 'id' | 'email' | 'role'>,
): Act => ({ action, target: { id, name: email }, details: { role } });
