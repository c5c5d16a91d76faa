// Organizations, keys, people, sessions, invitations and entry links, and the audit log of what they did.
import type { Generated, Selectable } from 'kysely';

export interface OrganizationTable {
  id: string;
  name: string;
  plan: 'starter' | 'growth' | 'agency' | 'api_only';
  trial_ends_at: number | null;
  /** Quotas that the operator set for this organization, as JSON; the others are the plan's. */
  quotas: string | null;
  /** Whether every member needs a second factor. */
  second_factor: Generated<'optional' | 'required'>;
  created_at: number;
  updated_at: number;
}

export interface ApiKeyTable {
  org_id: string;
  id: string;
  name: string;
  /** SHA-256 of the whole key, in hex. The key itself is shown once and never stored. */
  hash: string;
  /** The first characters, so that people can tell keys apart. */
  prefix: string;
  /** Separated by single spaces. */
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  created_at: number;
  /** The person who made it, or who made the key that made it. Null: the operator did. */
  created_by: string | null;
  /** The key that made it, with which it ends. Null: a person or the operator did. */
  made_with: string | null;
  /** JSON: the networks in CIDR notation from which it may be used. Null: everywhere. */
  networks: string | null;
  /** The network of its last use. */
  last_used_network: string | null;
}

/** A person who signs in; a member of one organization. */
export interface PersonTable {
  org_id: string;
  id: string;
  name: string;
  /** In lower case. */
  email: string;
  role: 'owner' | 'admin' | 'editor' | 'viewer';
  /** argon2id. Null: the person signs in by entry link and has no password yet. */
  password_hash: string | null;
  /** How the dashboard shows times. Null: as the browser does. */
  time_format: '12h' | '24h' | null;
  /** When a mail to the address was answered. Null: nothing but what is asked for is mailed to it. */
  email_verified_at: Generated<number | null>;
  /** When the person was last seen, to the minute. */
  last_seen_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface SessionTable {
  org_id: string;
  id: string;
  person_id: string;
  /** SHA-256 of the cookie's value, in hex. */
  hash: string;
  user_agent: string | null;
  ip: string | null;
  created_at: number;
  /** When the session was last used, to the minute. */
  seen_at: number;
  /** When it ends, unless it is used before. */
  ends_at: number;
  /** What its person last proved to be themselves with, and when; null: only with a link that others could have. */
  proof: 'password' | 'factor' | 'link' | null;
  proved_at: number | null;
}

/** Only open invitations have a row, not accepted or withdrawn ones. */
export interface InvitationTable {
  org_id: string;
  id: string;
  /** SHA-256 of the token in its URL, in hex. */
  hash: string;
  email: string | null;
  role: PersonTable['role'];
  invited_by: string | null;
  /** The key that it was made with, with which it ends. Null: none, or it is not known. */
  made_with: string | null;
  created_at: number;
  expires_at: number;
}

/** A link for one person, that works once. */
export interface PersonLinkTable {
  hash: string;
  org_id: string;
  person_id: string;
  purpose: 'enter' | 'reset' | 'verify';
  /** The member who asked for it, who may be the person. Null: the operator, or the service. */
  made_by: string | null;
  created_at: number;
  expires_at: number;
}

/** An authenticator app. */
export interface PersonFactorTable {
  org_id: string;
  id: string;
  person_id: string;
  kind: 'totp';
  name: string;
  /** Sealed. */
  secret: string;
  /** The time step of the last code that was accepted; 0 before the first. */
  last_step: number;
  created_at: number;
  /** Null: it is being enrolled, and no one is asked for its codes. */
  confirmed_at: number | null;
  last_used_at: number | null;
}

export interface RecoveryCodeTable {
  /** SHA-256 of the code, in hex. */
  hash: string;
  org_id: string;
  person_id: string;
  used_at: number | null;
}

/** A sign-in that waits for a code. */
export interface SignInTicketTable {
  hash: string;
  org_id: string;
  person_id: string;
  /** Of the password at that time: a change of it ends the ticket. */
  password_mark: string;
  tries: number;
  expires_at: number;
}

/** How many wrong codes of a kind a person's sign-ins gave in the hour that began at `since`. */
export interface WrongCodeTable {
  org_id: string;
  person_id: string;
  kind: 'totp' | 'recovery';
  since: number;
  n: number;
}

/** A network that a person has signed in from. */
export interface PersonNetworkTable {
  org_id: string;
  person_id: string;
  network: string;
  seen_at: number;
}

/** The audit log; see audit/. */
export interface AuditTable {
  /** Holds the time, so that the order of ids is the order of the log. */
  id: string;
  /** Null: a row of the installation, shown to every organization. */
  org_id: string | null;
  /** The time in the id, for people who read the table. */
  at: number;
  actor_kind: 'person' | 'key' | 'operator' | 'platform' | 'system';
  actor_id: string | null;
  /** The name at the time of the act, like the target's: the row outlives both. */
  actor_name: string;
  /** The client's IP address; null for acts that no request made. */
  address: string | null;
  action: string;
  target_kind: string;
  target_id: string | null;
  target_name: string | null;
  /** JSON, as it is sent; null if there are none. */
  details: string | null;
  /** Only of failed sign-ins: the minute in which they are counted. */
  minute: number | null;
  /** How many of them there were. */
  n: Generated<number>;
}

export interface PeopleTables {
  organizations: OrganizationTable;
  api_keys: ApiKeyTable;
  people: PersonTable;
  sessions: SessionTable;
  invitations: InvitationTable;
  person_links: PersonLinkTable;
  person_factors: PersonFactorTable;
  recovery_codes: RecoveryCodeTable;
  sign_in_tickets: SignInTicketTable;
  wrong_codes: WrongCodeTable;
  person_networks: PersonNetworkTable;
  audit: AuditTable;
}

export type OrganizationRow = Selectable<OrganizationTable>;
export type ApiKeyRow = Selectable<ApiKeyTable>;
export type PersonRow = Selectable<PersonTable>;
export type PersonFactorRow = Selectable<PersonFactorTable>;
export type InvitationRow = Selectable<InvitationTable>;
export type AuditRow = Selectable<AuditTable>;
