// Entries of the audit log as sentences: who, what, and what followed from it.
import type { AuditEntry } from '@airdate/sdk';
import { dateAndTime } from '../ui/time.js';
import { PLANS } from './plans.js';
import { type Role, roleLabel } from './roles.js';

export type AuditAction = AuditEntry['action'];

export interface Sentence {
  who: string;
  did: string;
  /** What else is known, each a short phrase. */
  more: string[];
}

type Tell = (entry: AuditEntry) => string | [did: string, ...more: (string | false)[]];

const SENTENCES: Record<AuditAction, Tell> = {
  'person.signed_up': () => 'signed up and founded the organization',
  'person.signed_in': ({ details }) =>
    details.with === 'link' ? 'signed in with a one-time link' : 'signed in',
  'person.sign_in_failed': ({ details, target }) => [
    `refused ${times(details.count ?? 1, 'sign-in')} as ${target.name}`,
    'the password was wrong',
  ],
  'person.signed_out': () => 'signed out',
  'person.password_changed': ({ details }) => [
    'changed their password',
    ended(details.sessions_ended, 'other session'),
  ],
  'person.renamed': ({ target }) => `changed their name to ${quoted(target.name)}`,
  'session.ended': ({ details }) =>
    details.is_replaced ? ['ended a session', 'the browser signed in again'] : 'ended one of their sessions',
  'organization.created': ({ details }) => ['created the organization', `plan ${planLabel(details.plan)}`],
  'organization.renamed': ({ details, target }) => [
    `renamed the organization to ${quoted(target.name)}`,
    `it was ${quoted(details.from)}`,
  ],
  'organization.plan_changed': ({ details }) =>
    `changed the plan from ${planLabel(details.from)} to ${planLabel(details.to)}`,
  'organization.trial_changed': ({ details }) =>
    details.to ? `set the end of the trial to ${dateAndTime(details.to)}` : 'ended the trial',
  'organization.quotas_changed': () => 'changed the quotas',
  'member.role_changed': ({ details, target }) => [
    `changed the role of ${target.name} from ${role(details.from)} to ${role(details.to)}`,
    ended(details.invitations_withdrawn, 'invitation'),
  ],
  'member.removed': ({ details, target }) => [
    `removed ${target.name}, ${role(details.role)}`,
    ...endings(details),
  ],
  'member.left': ({ details }) => ['left the organization', ...endings(details)],
  'invitation.created': ({ details, target }) =>
    `invited ${target.name ?? 'the holder of a link'} as ${role(details.role)}`,
  'invitation.withdrawn': ({ details, target }) =>
    `withdrew the invitation of ${target.name ?? 'the holder of a link'} as ${role(details.role)}`,
  'invitation.accepted': ({ details }) => `accepted an invitation and joined as ${role(details.role)}`,
  'key.created': ({ details, target }) => [
    `made the key ${quoted(target.name)}`,
    details.expires_at ? `it expires ${dateAndTime(details.expires_at)}` : 'it does not expire',
  ],
  'key.revoked': ({ details, target }) => [
    `revoked the key ${quoted(target.name)}`,
    ended(details.keys_ended, 'key', ' with it'),
  ],
  'account.connected': ({ details, target }) =>
    `${details.is_reconnected ? 'reconnected' : 'connected'} ${account(target.name)}`,
  'account.disconnected': ({ target }) => `disconnected ${account(target.name)}`,
  'account.revoked': ({ details, target }) => [
    `no longer accepts our access to ${account(target.name)}`,
    details.reason ?? false,
  ],
  'post.scheduled': ({ details, target }) =>
    details.from
      ? [`moved ${quoted(target.name)} to ${slot(details.scheduled_at)}`, `it was ${slot(details.from)}`]
      : `scheduled ${quoted(target.name)} for ${slot(details.scheduled_at)}`,
  'post.unscheduled': ({ details, target }) => [
    `took ${quoted(target.name)} off the schedule`,
    details.from ? `its slot was ${slot(details.from)}` : false,
  ],
  'post.publish_started': ({ actor, details, target }) =>
    actor.kind === 'system'
      ? [
          `began to publish ${quoted(target.name)}`,
          details.trigger === 'schedule' && 'at its slot',
          details.trigger === 'retry' && 'again, after a failure',
        ]
      : `published ${quoted(target.name)} now`,
  'post.resolved': ({ details, target }) =>
    `reported that ${quoted(target.name)} is ${details.outcome === 'posted' ? '' : 'not '}on the platform`,
  'post.archived': ({ details, target }) => [
    `archived ${quoted(target.name)}`,
    details.status === 'scheduled' && 'it was scheduled',
  ],
  'post.unarchived': ({ target }) => `took ${quoted(target.name)} out of the archive`,
  'post.deleted': ({ details, target }) => [
    `deleted ${quoted(target.name)}`,
    details.files ? `with ${times(details.files, 'file')}` : false,
  ],
  'file.removed': ({ details, target }) =>
    `removed the file ${quoted(target.name)} from ${quoted(details.post_title)}`,
  'installation.restored': ({ actor, details }) => [
    actor.kind === 'operator'
      ? 'declared that the service was restored from a backup'
      : 'found that the service was restored from a backup',
    details.reason ?? false,
  ],
  'installation.released': () => 'ended safe mode, so publishing went on',
};

export const ACTIONS = Object.keys(SENTENCES) as AuditAction[];

export function sentenceOf(entry: AuditEntry): Sentence {
  const told = SENTENCES[entry.action](entry);
  const [did, ...more] = typeof told === 'string' ? [told] : told;
  return { who: nameOf(entry.actor), did, more: more.filter((one) => one !== false) };
}

function nameOf({ kind, name }: AuditEntry['actor']): string {
  switch (kind) {
    case 'key':
      return `The key ${quoted(name)}`;
    case 'operator':
      return 'The operator';
    case 'platform':
      return 'The platform';
    default:
      return name;
  }
}

/** The actions as a person looks for them. */
export const ACTION_GROUPS: { group: string; actions: Partial<Record<AuditAction, string>> }[] = [
  {
    group: 'Sign-ins',
    actions: {
      'person.signed_in': 'Signed in',
      'person.sign_in_failed': 'Failed sign-ins',
      'person.signed_out': 'Signed out',
      'session.ended': 'Session ended',
      'person.password_changed': 'Password changed',
      'person.signed_up': 'Signed up',
      'person.renamed': 'Name changed',
    },
  },
  { group: 'API keys', actions: { 'key.created': 'Key made', 'key.revoked': 'Key revoked' } },
  {
    group: 'Members',
    actions: {
      'invitation.created': 'Invited',
      'invitation.accepted': 'Invitation accepted',
      'invitation.withdrawn': 'Invitation withdrawn',
      'member.role_changed': 'Role changed',
      'member.removed': 'Member removed',
      'member.left': 'Member left',
    },
  },
  {
    group: 'Accounts',
    actions: {
      'account.connected': 'Account connected',
      'account.disconnected': 'Account disconnected',
      'account.revoked': 'Access revoked by the platform',
    },
  },
  {
    group: 'Publishing',
    actions: {
      'post.publish_started': 'Publishing began',
      'post.scheduled': 'Scheduled or moved',
      'post.unscheduled': 'Taken off the schedule',
      'post.resolved': 'Outcome reported',
    },
  },
  {
    group: 'Archive and deletions',
    actions: {
      'post.archived': 'Archived',
      'post.unarchived': 'Out of the archive',
      'post.deleted': 'Post deleted',
      'file.removed': 'File removed',
    },
  },
  {
    group: 'Organization',
    actions: {
      'organization.created': 'Created',
      'organization.renamed': 'Renamed',
      'organization.plan_changed': 'Plan changed',
      'organization.trial_changed': 'Trial changed',
      'organization.quotas_changed': 'Quotas changed',
      'installation.restored': 'Restored from a backup',
      'installation.released': 'Safe mode ended',
    },
  },
];

const quoted = (name: string | null | undefined) => `“${name ?? ''}”`;
const account = (name: string | null) => (name === null ? 'an account' : `@${name}`);
const slot = (at: string | undefined) => (at === undefined ? '' : dateAndTime(at));
const role = (name: string | null | undefined) => roleLabel((name ?? '') as Role).toLowerCase();
const planLabel = (plan: string | null | undefined) =>
  (PLANS as Record<string, string>)[plan ?? ''] ?? plan ?? '';

const times = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;
const ended = (n: number | undefined, noun: string, how = ''): string | false =>
  n ? `${times(n, noun)} ended${how}` : false;

const endings = ({ keys_ended, sessions_ended, invitations_withdrawn }: AuditEntry['details']) => [
  ended(keys_ended, 'key'),
  ended(sessions_ended, 'session'),
  ended(invitations_withdrawn, 'invitation'),
];
