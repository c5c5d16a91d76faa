// The keys and sessions that requests are recognized by. They are looked up by identity/.
import type { PersonRow } from '../db/tables.js';
import type { Plan } from './plans.js';
import type { Scope } from './scopes.js';

export interface KnownKey {
  via: 'key';
  keyId: string;
  orgId: string;
  plan: Plan;
  trialEndsAt: number | null;
  scopes: ReadonlySet<Scope>;
  /** The person who made it, or who made the key that made it. */
  madeBy: string | null;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export interface KeyCache {
  /** The key behind this secret, or null: never issued, revoked, expired or mistyped. At once, if it is remembered. */
  find(secret: string): KnownKey | null | Promise<KnownKey | null>;
  forget(hash: string): void;
  /** Drops everything remembered, because an organization changed, or what somebody may do who made keys. */
  clear(): void;
}

export interface KnownSession {
  via: 'session';
  sessionId: string;
  personId: string;
  role: PersonRow['role'];
  orgId: string;
  plan: Plan;
  trialEndsAt: number | null;
  scopes: ReadonlySet<Scope>;
  createdAt: number;
  seenAt: number;
  endsAt: number;
}

export interface SessionCache {
  /** The session behind this token, or null: never begun, ended, or left alone for too long. */
  find(token: string): KnownSession | null | Promise<KnownSession | null>;
  /** The same, without counting as a use of it: for whoever waits and does nothing. */
  peek(token: string): KnownSession | null | Promise<KnownSession | null>;
  /** Drops everything remembered, because sessions ended or somebody's role or organization changed. */
  clear(): void;
}
