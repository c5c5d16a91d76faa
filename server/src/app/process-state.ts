// What one process keeps between requests, beside its database: by name, created in ../open-app.ts, and gone with the App. Nothing of
// it is needed after a restart.
import type { LRUCache } from 'lru-cache';
import type { PlatformFailure } from '../connectors/connector.js';
import type { SingleFlight } from '../core/concurrency.js';
import type { SignInTrust } from '../core/passwords.js';
import type { Tally } from '../core/tally.js';
import type { SocialAccountRow, TOKEN_COLUMNS } from '../db/tables.js';

export interface ProcessState {
  /** Responses of reads, while the database can tell that they would be the same. */
  readonly responses: ResponseCache;
  /** Organizations that have an export running. */
  readonly exporting: Set<string>;
  readonly signIns: SignInBackoff;
  /** By account; one that is not here is idle. */
  readonly renewals: Map<string, TokenRenewal>;
  /** The PUTs that this process is receiving or inspecting. */
  readonly uploads: UploadRegistry;
  /** Bytes of uploads on their way to the disk store, by organization. */
  readonly arrivingBytes: Tally;
  /** Inspections of files that have arrived, by object key. */
  readonly inspections: Map<string, RunningInspection>;
  /** Joins of the parts of an upload, by object key. */
  readonly joins: SingleFlight;
  /** Imports of posts whose bodies are in memory, by organization. */
  readonly admittedImports: Tally;
  /** One statement of a search at a time, on SQLite. */
  readonly searchThrottle: <T>(statement: () => Promise<T>) => Promise<T>;
  /** The ids of rows that this process works on, and whose lease it renews. */
  readonly leased: Set<string>;
  /**
   * Nonces of attempts that this process has sent, or whose slides were fetched here: nothing else may come before other
   * requests. `isConfirmed`: their first fetch cannot be lost unnoticed.
   */
  readonly knownSlides: LRUCache<string, { isConfirmed: boolean }>;
  /** Counts of days that are over, by organization and time zone. */
  readonly countedDays: Map<string, CountedDays>;
}

export interface CachedResponse {
  /** The change stamp of the database when the response was read. */
  stamp: string;
  text: string;
  etag: string | undefined;
}

export interface ResponseCache {
  readonly entries: LRUCache<string, CachedResponse>;
  /** Requests that begin together after a commit share one read. */
  readonly reading: SingleFlight;
}

/** Slows down guessing at one account; identity/auth/sign-in-backoff.ts. */
export interface SignInBackoff {
  /**
   * Waits as long as the failures of this network with this account demand, unless the client goes away. Fails with 429 if too
   * many attempts wait already.
   */
  waitFor(account: string, network: string, gone: AbortSignal): Promise<void>;
  /** How many attempts from strange networks wait for this account. */
  waitingFor(account: string): number;
  /** Has a password checked with the trust that the network deserves. */
  check(network: string, isRight: (trust: SignInTrust) => Promise<boolean>): Promise<boolean>;
  failed(account: string, network: string): void;
  succeeded(account: string, network: string): void;
  /** A person is signed in from there. */
  becomeFamiliar(network: string): void;
}

type StoredTokens = Pick<SocialAccountRow, (typeof TOKEN_COLUMNS)[number]>;

export interface TokenRenewal {
  /** The tokens that it replaces. */
  old: StoredTokens;
  /** While it is saving for longer than callers wait, this says so. */
  result: Promise<{ row: StoredTokens; accessToken: string } | PlatformFailure>;
}

export interface UploadRegistry {
  /** Throws 503 if the organization sends too many files at the same time. */
  begin(
    orgId: string,
    objectKey: string,
  ): {
    signal: AbortSignal;
    /** If there was a PUT to end: resolves when nothing remains of it. */
    older: Promise<void> | undefined;
    end(): void;
  };
}

/** What became of an upload. `missing`: nothing has arrived. `void`: the grant was cancelled or replaced in the meantime. */
export type Confirmation = 'missing' | 'ready' | 'void' | { rejected: string };

export interface RunningInspection {
  result: Promise<Confirmation>;
  /** Ends the inspection with the result `missing`. Has no effect once the verdict is known and being saved. */
  interruption: AbortController;
}

export interface CountedDays {
  /** The revision of the organization's data that the counts were made from; see analytics/revision.ts. */
  revision: number;
  days: Map<number, CountedDay>;
}

export interface CountedDay {
  shown: {
    date: string;
    posts_created: number;
    posts_published: number;
    dispatches: Record<'started' | 'accepted' | 'published' | 'in_inbox' | 'failed' | 'unknown', number>;
    lateness_p50_ms: number | null;
    lateness_p99_ms: number | null;
  };
  failures: Map<string, number>;
}
