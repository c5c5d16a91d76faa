// The actions of the audit log, in the groups and by the names under which people look for them.
import type { AuditAction } from './audit-sentences.js';

export const ACTION_GROUPS: { group: string; actions: Partial<Record<AuditAction, string>> }[] = [
  {
    group: 'Sign-ins',
    actions: {
      'person.signed_in': 'Signed in',
      'person.sign_in_failed': 'Failed sign-ins',
      'person.signed_out': 'Signed out',
      'session.ended': 'Session ended',
      'person.password_changed': 'Password changed',
      'person.password_reset': 'Password reset',
      'person.factors_removed': 'Second factors removed',
      'person.email_verified': 'Email verified',
      'person.signed_up': 'Signed up',
      'person.sessions_ended': 'Signed out elsewhere',
      'person.factor_added': 'Authenticator app added',
      'person.factor_removed': 'Authenticator app removed',
      'person.recovery_codes_created': 'Recovery codes created',
      'person.recovery_code_used': 'Recovery code used',
      'person.renamed': 'Name changed',
    },
  },
  {
    group: 'API keys',
    actions: { 'key.created': 'Key created', 'key.renamed': 'Key renamed', 'key.revoked': 'Key revoked' },
  },
  {
    group: 'Members',
    actions: {
      'invitation.created': 'Invited',
      'invitation.accepted': 'Invitation accepted',
      'invitation.withdrawn': 'Invitation revoked',
      'member.role_changed': 'Role changed',
      'member.reset_link_created': 'Reset link created',
      'member.sessions_ended': 'Signed out by an owner',
      'member.removed': 'Member removed',
      'member.left': 'Member left',
    },
  },
  {
    group: 'Accounts',
    actions: {
      'account.connected': 'Account connected',
      'account.disconnected': 'Account disconnected',
      'account.unblocked': 'Tried again after a block',
      'account.defaults_changed': 'Defaults changed',
      'account.revoked': 'Access ended',
    },
  },
  {
    group: 'Webhooks',
    actions: {
      'webhook.created': 'Webhook created',
      'webhook.changed': 'Webhook changed',
      'webhook.secret_rotated': 'Secret replaced',
      'webhook.tested': 'Test sent',
      'webhook.replayed': 'Delivery sent again',
      'webhook.recovered': 'Missed events sent again',
      'webhook.disabled': 'Webhook disabled by the service',
      'webhook.deleted': 'Webhook deleted',
    },
  },
  {
    group: 'Posts',
    actions: {
      'post.edited': 'Post edited',
      'label.created': 'Label created',
      'label.changed': 'Label changed',
      'label.deleted': 'Label deleted',
      'post.exported': 'Posts exported',
      'dispatch.exported': 'Publishing log exported',
    },
  },
  {
    group: 'Publishing',
    actions: {
      'post.publish_started': 'Publishing started',
      'post.scheduled': 'Scheduled or moved',
      'post.unscheduled': 'Unscheduled',
      'post.resolved': 'Outcome resolved',
      'post.imported': 'Imported from CSV',
    },
  },
  {
    group: 'Archive and deletions',
    actions: {
      'post.archived': 'Archived',
      'post.unarchived': 'Unarchived',
      'post.deleted': 'Post deleted',
      'file.removed': 'File removed',
    },
  },
  {
    group: 'Organization',
    actions: {
      'organization.created': 'Created',
      'organization.renamed': 'Renamed',
      'organization.second_factor_changed': 'Second factor',
      'organization.plan_changed': 'Plan changed',
      'organization.trial_changed': 'Trial changed',
      'organization.quotas_changed': 'Quotas changed',
      'installation.restored': 'Restored from a backup',
      'installation.released': 'Safe mode ended',
      'installation.token_refused': 'Wrong administrator tokens',
    },
  },
];
