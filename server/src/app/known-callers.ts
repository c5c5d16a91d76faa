// The keys and sessions behind requests. identity/ looks them up.
import type { OrganizationRow, PersonRow } from '../db/tables.js';
import type { Scope } from './scopes.js';

type Plan = OrganizationRow['plan'];

export interface KnownKey {
  via: 'key';
  keyId: string;
  name: string;
  orgId: string;
  plan: Plan;
  trialEndsAt: number | null;
  /** The quotas that the operator set for the organization, as JSON; see quotas/plans.ts. */
  quotas: string | null;
  scopes: ReadonlySet<Scope>;
  /** The person who made it, or who made the key that made it. */
  madeBy: string | null;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** Whether it may be used from this address; null: from everywhere. */
  allows: ((address: string) => boolean) | null;
  lastUsedNetwork: string | null;
}

export interface KeyCache {
  /** The key of this secret, or null: never issued, revoked, expired or mistyped. Synchronous if it is cached. */
  find(secret: string): KnownKey | null | Promise<KnownKey | null>;
  /** Records a use of it from this address. */
  recordUse(key: KnownKey, address: string): void;
  /** The organization of a key that was used here lately. The key may have ended since: this permits nothing. */
  recentOrg(secret: string): string | undefined;
  forget(hash: string): void;
  /** Empties the cache, because an organization changed, or the role of a person who made keys. */
  clear(): void;
}

export interface KnownSession {
  via: 'session';
  sessionId: string;
  personId: string;
  /** The person's name. */
  name: string;
  role: PersonRow['role'];
  orgId: string;
  plan: Plan;
  trialEndsAt: number | null;
  quotas: string | null;
  scopes: ReadonlySet<Scope>;
  createdAt: number;
  seenAt: number;
  endsAt: number;
  /** When its person last proved to be themselves; see request/proof.ts. */
  provedAt: number | null;
  /** The organization requires a second factor, and the person has none. */
  lacksFactor: boolean;
}

export interface SessionCache {
  /** The session of this token, or null: never begun, ended, or idle for too long. */
  find(token: string): KnownSession | null | Promise<KnownSession | null>;
  /** The same, without counting as a use: for streams, which stay open while the person does nothing. */
  peek(token: string): KnownSession | null | Promise<KnownSession | null>;
  /** The same, read again: another process may have changed it a moment ago. */
  reload(token: string): Promise<KnownSession | null>;
  /** The organization of a session that was used here lately. The session may have ended since: this permits nothing. */
  recentOrg(token: string): string | undefined;
  /** Empties the cache, because sessions ended, or a person's role or organization changed. */
  clear(): void;
}
