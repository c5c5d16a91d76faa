// Every action of the audit log: what it is done to, and what it says. The list is append-only, because rows keep their
// action for a year. The OpenAPI document is made from it, and the dashboard does not build without a sentence for each.

export const TARGET_KINDS = [
  'person',
  'session',
  'organization',
  'key',
  'invitation',
  'account',
  'post',
  'webhook',
  'file',
  'label',
  'installation',
] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export const ACTIONS = {
  'person.signed_up': ['person', 'A person signed up and founded the organization.'],
  'person.signed_in': [
    'person',
    'A person signed in: with a password, a one-time link, or a code after either.',
  ],
  'person.sign_in_failed': [
    'person',
    'Sign-ins of a member failed. One row counts the failures from one address within a minute.',
  ],
  'person.signed_out': ['person', 'A person signed out.'],
  'person.password_changed': [
    'person',
    'A person set or changed their password; their other sessions ended.',
  ],
  'person.password_reset': [
    'person',
    'A person set a new password with a reset link; all of their sessions ended.',
  ],
  'person.factors_removed': ['person', 'The operator removed the second factors of a person.'],
  'person.email_verified': ['person', 'The email address of a person was verified.'],
  'person.sessions_ended': ['person', 'A person ended all of their other sessions.'],
  'person.factor_added': ['person', 'A person added an authenticator app; sign-in asks for its codes.'],
  'person.factor_removed': ['person', 'A person removed an authenticator app; their other sessions ended.'],
  'person.recovery_codes_created': ['person', 'A person replaced their recovery codes by new ones.'],
  'person.recovery_code_used': [
    'person',
    'A person used a recovery code instead of their authenticator app.',
  ],
  'person.renamed': ['person', 'A person changed their name.'],
  'session.ended': ['session', 'A person ended one of their sessions, or replaced it by signing in again.'],
  'organization.created': ['organization', 'The operator created the organization.'],
  'organization.renamed': ['organization', 'The organization was renamed.'],
  'organization.second_factor_changed': [
    'organization',
    'An owner changed whether members need a second factor.',
  ],
  'organization.plan_changed': ['organization', 'The operator changed the plan.'],
  'organization.trial_changed': ['organization', 'The operator changed the end of the trial.'],
  'organization.quotas_changed': ['organization', 'The operator changed quotas.'],
  'member.role_changed': ['person', 'The role of a member was changed.'],
  'member.reset_link_created': [
    'person',
    'A member or the operator created a link with which a person sets a new password.',
  ],
  'member.sessions_ended': ['person', 'An owner ended all sessions of a member.'],
  'member.removed': ['person', 'A member was removed; their keys, sessions and invitations ended.'],
  'member.left': ['person', 'A member left; their keys, sessions and invitations ended.'],
  'invitation.created': ['invitation', 'An invitation was created.'],
  'invitation.withdrawn': ['invitation', 'An invitation was withdrawn.'],
  'invitation.accepted': ['invitation', 'A person accepted an invitation and became a member.'],
  'key.created': ['key', 'An API key was created.'],
  'key.renamed': ['key', 'An API key was renamed.'],
  'key.revoked': [
    'key',
    'An API key was revoked, with the keys and invitations that were created with it; its webhooks were disabled.',
  ],
  'account.connected': ['account', 'An account was connected or reconnected.'],
  'account.disconnected': ['account', 'An account was disconnected.'],
  'account.defaults_changed': [
    'account',
    'The defaults that the dashboard fills in for an account were changed.',
  ],
  'account.unblocked': ['account', 'A caller said that the platform may accept posts of an account again.'],
  'account.revoked': ['account', 'The platform no longer grants access to an account.'],
  'post.scheduled': ['post', 'A post was scheduled, or its slot moved.'],
  'post.unscheduled': ['post', 'A scheduled post returned to draft at the request of a caller.'],
  'post.publish_started': [
    'post',
    'An attempt to publish a post began: by a caller who published it now, or by a worker at its slot.',
  ],
  'post.resolved': ['post', 'A caller resolved the unknown outcome of a post.'],
  'post.archived': ['post', 'A post was archived and lost its slot, if it had one.'],
  'post.unarchived': ['post', 'A post left the archive.'],
  'post.deleted': ['post', 'A post was deleted with its files.'],
  'post.imported': [
    'organization',
    'Posts were imported from a CSV file. One row covers all of them and their slots.',
  ],
  'post.edited': [
    'post',
    'The text, labels, cover, account or settings of a post, or the order of its files, were changed. One row covers what a caller changed within ten minutes.',
  ],
  'post.exported': ['organization', 'Posts were exported to a file.'],
  'dispatch.exported': ['organization', 'The log of attempts was exported to a file.'],
  'file.removed': ['file', 'A file was removed from a post.'],
  'webhook.created': ['webhook', 'A webhook was created.'],
  'webhook.changed': ['webhook', 'A webhook was changed, disabled or enabled.'],
  'webhook.tested': ['webhook', 'A test message was sent to a webhook.'],
  'webhook.replayed': ['webhook', 'A delivery was sent again to a webhook.'],
  'webhook.recovered': ['webhook', 'What a webhook had missed since a given time was sent again.'],
  'webhook.secret_rotated': ['webhook', 'The secret of a webhook was replaced.'],
  'webhook.deleted': ['webhook', 'A webhook was deleted.'],
  'webhook.disabled': [
    'webhook',
    'The service disabled a webhook whose endpoint is gone, whose deliveries all failed, or whose key ended.',
  ],
  'label.created': ['label', 'A label was created.'],
  'label.changed': ['label', 'A label was renamed, or its colour changed.'],
  'label.deleted': ['label', 'A label was deleted and taken off its posts.'],
  'installation.token_refused': [
    'installation',
    'Requests with a wrong operator token were refused. One row counts all requests from one address within a minute.',
  ],
  'installation.restored': [
    'installation',
    'The database was restored from a backup. Nothing is published until the operator ends safe mode.',
  ],
  'installation.released': ['installation', 'The operator ended safe mode after a restore.'],
} as const satisfies Record<string, readonly [target: TargetKind, says: string]>;

export type AuditAction = keyof typeof ACTIONS;

export const ACTION_NAMES = Object.keys(ACTIONS) as AuditAction[];
