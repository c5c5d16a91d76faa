// Entries of the audit log as sentences: who, what, and what followed from it.
import type { AuditEntry } from '@airdate/sdk/core';
import { withoutCode } from '../text/api-text.js';
import { PLANS } from '../text/plans.js';
import { type Role, roleLabel } from '../text/roles.js';
import { dateAndTime } from '../text/time.js';
import { listed } from './audit-fields.js';

export type AuditAction = AuditEntry['action'];

export interface Sentence {
  who: string;
  did: string;
  /** What else is known, each a short phrase. */
  more: string[];
}

type Tell = (entry: AuditEntry) => string | [did: string, ...more: (string | false)[]];

const SENTENCES: Record<AuditAction, Tell> = {
  'person.signed_up': () => 'signed up and created the organization',
  'person.signed_in': ({ details }) =>
    ({
      link: 'signed in with a one-time link',
      code: 'signed in with a code',
      recovery_code: 'signed in with a recovery code',
    })[details.with as string] ?? 'signed in',
  'person.sign_in_failed': ({ details, target }) => [
    `blocked ${times(details.count ?? 1, 'sign-in')} as ${target.name}`,
    'wrong password',
  ],
  'person.signed_out': () => 'signed out',
  'person.password_changed': ({ details }) => [
    'changed their password',
    ended(details.sessions_ended, 'other session'),
  ],
  'person.password_reset': ({ details }) => [
    'set a new password with a link',
    ended(details.sessions_ended, 'session'),
  ],
  'person.factors_removed': ({ details, target }) => [
    `removed the second factors of ${target.name}`,
    ended(details.sessions_ended, 'session'),
  ],
  'person.email_verified': ({ target, actor }) =>
    actor.id === target.id ? 'verified their email' : `marked the email of ${target.name} as verified`,
  'person.sessions_ended': ({ details }) => [
    'signed out everywhere else',
    ended(details.sessions_ended, 'other session'),
  ],
  'person.factor_added': ({ details }) => `added the authenticator app ${quoted(details.to)}`,
  'person.factor_removed': ({ details }) => [
    `removed the authenticator app ${quoted(details.from)}`,
    ended(details.sessions_ended, 'other session'),
  ],
  'person.recovery_codes_created': () => 'created new recovery codes',
  'person.recovery_code_used': ({ details }) => [
    'used a recovery code',
    `${details.recovery_codes_left ?? 0} left`,
  ],
  'person.renamed': ({ target }) => `changed their name to ${quoted(target.name)}`,
  'session.ended': ({ details }) =>
    details.is_replaced
      ? ['ended a session', 'signed in again in the same browser']
      : 'ended one of their sessions',
  'organization.created': ({ details }) => ['created the organization', `plan ${planLabel(details.plan)}`],
  'organization.renamed': ({ details, target }) => [
    `renamed the organization to ${quoted(target.name)}`,
    `was ${quoted(details.from)}`,
  ],
  'organization.second_factor_changed': ({ details }) =>
    details.to === 'required'
      ? 'required a second factor of every member'
      : 'no longer requires a second factor',
  'organization.plan_changed': ({ details }) =>
    `changed the plan from ${planLabel(details.from)} to ${planLabel(details.to)}`,
  'organization.trial_changed': ({ details }) =>
    details.to ? `set the trial to end ${dateAndTime(details.to)}` : 'ended the trial',
  'organization.quotas_changed': () => 'changed the quotas',
  'member.role_changed': ({ details, target }) => [
    `changed ${target.name} from ${role(details.from)} to ${role(details.to)}`,
    ended(details.invitations_withdrawn, 'invitation'),
  ],
  'member.reset_link_created': ({ target }) => `created a link for ${target.name} to set a new password`,
  'member.sessions_ended': ({ details, target }) => [
    `signed ${target.name} out everywhere`,
    ended(details.sessions_ended, 'session'),
  ],
  'member.removed': ({ details, target }) => [
    `removed ${target.name} (${role(details.role)})`,
    ...endings(details),
  ],
  'member.left': ({ details }) => ['left the organization', ...endings(details)],
  'invitation.created': ({ details, target }) =>
    `${target.name ? `invited ${target.name}` : 'created an invitation link'} as ${role(details.role)}`,
  'invitation.withdrawn': ({ details, target }) =>
    `revoked ${target.name ? `the invitation for ${target.name}` : 'an invitation link'} as ${role(details.role)}`,
  'invitation.accepted': ({ details }) => `accepted an invitation and joined as ${role(details.role)}`,
  'key.created': ({ details, target }) => [
    `created the API key ${quoted(target.name)}`,
    details.expires_at ? `expires ${dateAndTime(details.expires_at)}` : 'doesn’t expire',
  ],
  'key.renamed': ({ details, target }) =>
    `renamed the API key ${quoted(details.from ?? null)} to ${quoted(target.name)}`,
  'key.revoked': ({ details, target }) => [
    `revoked the API key ${quoted(target.name)}`,
    ended(details.keys_ended, 'key', ' with it'),
    ended(details.invitations_withdrawn, 'invitation'),
    disabled(details.webhooks_disabled),
  ],
  'account.connected': ({ details, target }) =>
    `${details.is_reconnected ? 'reconnected' : 'connected'} ${account(target.name)}`,
  'account.disconnected': ({ target }) => `disconnected ${account(target.name)}`,
  'account.unblocked': ({ target }) => `tried again to publish to ${account(target.name)}`,
  'account.defaults_changed': ({ target }) => `changed the defaults of ${account(target.name)}`,
  'account.revoked': ({ details, target }) => [
    `ended Airdate’s access to ${account(target.name)}`,
    details.reason ? withoutCode(details.reason) : false,
  ],
  'post.scheduled': ({ details, target }) =>
    details.from
      ? [`moved ${quoted(target.name)} to ${slot(details.scheduled_at)}`, `was ${slot(details.from)}`]
      : `scheduled ${quoted(target.name)} for ${slot(details.scheduled_at)}`,
  'post.unscheduled': ({ details, target }) => [
    `unscheduled ${quoted(target.name)}`,
    details.from ? `was due ${slot(details.from)}` : false,
  ],
  'post.publish_started': ({ actor, details, target }) =>
    actor.kind === 'system'
      ? [
          `started publishing ${quoted(target.name)}`,
          details.trigger === 'schedule' && 'as scheduled',
          details.trigger === 'retry' && 'retry after a failure',
        ]
      : `started publishing ${quoted(target.name)}`,
  'post.resolved': ({ details, target }) =>
    `resolved ${quoted(target.name)} as ${details.outcome === 'posted' ? 'posted' : 'not posted'}`,
  'post.archived': ({ details, target }) => [
    `archived ${quoted(target.name)}`,
    details.status === 'scheduled' && 'was scheduled',
  ],
  'post.unarchived': ({ target }) => `unarchived ${quoted(target.name)}`,
  'post.deleted': ({ details, target }) => [
    `deleted ${quoted(target.name)}`,
    details.files ? `with ${times(details.files, 'file')}` : false,
  ],
  'post.imported': ({ details }) => [
    `imported ${times(details.posts ?? 0, 'post')} from a CSV file`,
    details.scheduled ? `${details.scheduled} of them scheduled` : false,
  ],
  'post.edited': ({ details, target }) => [`edited ${quoted(target.name)}`, listed(details.fields)],
  'post.exported': ({ details }) => ['exported the posts', `as ${formatLabel(details.format)}`],
  'dispatch.exported': ({ details }) => ['exported the publishing log', `as ${formatLabel(details.format)}`],
  'label.created': ({ target }) => `created the label ${quoted(target.name)}`,
  'label.changed': ({ details, target }) => [
    `changed the label ${quoted(target.name)}`,
    details.from ? `was ${quoted(details.from)}` : listed(details.fields),
  ],
  'label.deleted': ({ target }) => `deleted the label ${quoted(target.name)}`,
  'file.removed': ({ details, target }) =>
    `removed the file ${quoted(target.name)} from ${quoted(details.post_title)}`,
  'webhook.created': ({ target }) => `created a webhook to ${target.name}`,
  'webhook.changed': ({ details, target }) => [
    details.enabled === undefined
      ? `changed the webhook to ${target.name}`
      : `${details.enabled ? 'enabled' : 'disabled'} the webhook to ${target.name}`,
    details.from !== details.to && `was ${details.from}`,
    listed(details.fields?.filter((field) => field !== 'enabled')),
  ],
  'webhook.tested': ({ details, target }) => [
    `sent a test to the webhook to ${target.name}`,
    details.delivered === false && 'not accepted',
  ],
  'webhook.replayed': ({ target }) => `sent a delivery again to the webhook to ${target.name}`,
  'webhook.recovered': ({ details, target }) => [
    `sent again what the webhook to ${target.name} had missed`,
    details.since ? `since ${dateAndTime(details.since)}` : false,
  ],
  'webhook.secret_rotated': ({ target }) => `replaced the secret of the webhook to ${target.name}`,
  'webhook.deleted': ({ target }) => `deleted the webhook to ${target.name}`,
  'webhook.disabled': ({ details, target }) => [
    `disabled the webhook to ${target.name}`,
    details.reason ?? false,
  ],
  'installation.token_refused': ({ details }) =>
    `refused ${times(details.count ?? 1, 'request')} with a wrong administrator token`,
  'installation.restored': ({ actor, details }) => [
    actor.kind === 'operator' ? 'reported a restore from a backup' : 'detected a restore from a backup',
    details.reason ?? false,
  ],
  'installation.released': () => 'ended safe mode and resumed publishing',
};

export const ACTIONS = Object.keys(SENTENCES) as AuditAction[];

export const isAction = (name: string): name is AuditAction => Object.hasOwn(SENTENCES, name);

/** `platform`: its name at the start of a sentence. */
export function sentenceOf(entry: AuditEntry, platform: string): Sentence {
  const told = SENTENCES[entry.action](entry);
  const [did, ...more] = typeof told === 'string' ? [told] : told;
  return { who: nameOf(entry.actor, platform), did, more: more.filter((one) => one !== false) };
}

function nameOf({ kind, name }: AuditEntry['actor'], platform: string): string {
  switch (kind) {
    case 'key':
      return `API key ${quoted(name)}`;
    case 'operator':
      return 'Airdate administrator';
    case 'platform':
      return platform;
    default:
      return name;
  }
}

const quoted = (name: string | null | undefined) => `“${name ?? ''}”`;
const account = (name: string | null) => (name === null ? 'an account' : `@${name}`);
const slot = (at: string | undefined) => (at === undefined ? '' : dateAndTime(at));
const role = (name: string | null | undefined) => roleLabel((name ?? '') as Role).toLowerCase();
const planLabel = (plan: string | null | undefined) =>
  (PLANS as Record<string, string>)[plan ?? ''] ?? plan ?? '';

const formatLabel = (format: string | undefined) => (format === 'ndjson' ? 'JSON lines' : 'CSV');
const times = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;
const ended = (n: number | undefined, noun: string, how = ''): string | false =>
  n ? `${times(n, noun)} ended${how}` : false;

const disabled = (n: number | undefined): string | false => (n ? `${times(n, 'webhook')} disabled` : false);

const endings = (details: AuditEntry['details']) => [
  ended(details.keys_ended, 'key'),
  ended(details.sessions_ended, 'session'),
  ended(details.invitations_withdrawn, 'invitation'),
  disabled(details.webhooks_disabled),
];
