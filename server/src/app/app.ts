// What every use case may use, as types. The parts are assembled in ../open-app.ts.
import type { Config } from '../config/config.js';
import type { Connector } from '../connectors/connector.js';
import type { Background } from '../core/background.js';
import type { Clock } from '../core/clock.js';
import type { Log } from '../core/log.js';
import type { ProcessMetrics } from '../core/meters.js';
import type { Outbound } from '../core/outbound/outbound.js';
import type { Passwords } from '../core/passwords.js';
import type { Seal } from '../core/seal.js';
import type { Spans } from '../core/spans.js';
import type { Database, Tx } from '../db/database.js';
import type { PostSearchIndex } from '../db/post-index.js';
import type { ObjectStore } from '../object-store/object-store.js';
import type { Safety } from '../restore-safety/safety.js';
import type { KeyCache, SessionCache } from './known-callers.js';
import type { ProcessState } from './process-state.js';
import type { Queues } from './queues.js';
import type { Rates } from './rates.js';

export interface Mail {
  /** Queues a mail with a link that sets a new password. The person has verified the address. */
  sendResetLink(person: { org_id: string; id: string }): Promise<void>;
}

export interface App {
  readonly config: Config;
  readonly log: Log;
  /** What this process counts and times, for /metrics. */
  readonly meters: ProcessMetrics;
  readonly spans: Spans;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly db: Database;
  /** The worker's: if it shares the process with requests, they cannot use up its connections. */
  readonly workerDb: Database;
  /** Null if the database refuses to have it; the search then looks at the newest posts only. */
  readonly postIndex: PostSearchIndex | null;
  /** Where work of several organizations waits. */
  readonly queues: Queues;
  readonly seal: Seal;
  readonly store: ObjectStore;
  /** By platform. A function, because the address of the built-in one is known only once the server listens. */
  readonly connector: (platform: string) => Connector;
  /** The public URL, and the URL at which this process reaches itself. Known from the start unless the system picks the port. */
  readonly urls: { publicUrl: string; ownUrl: string };
  /** Requests to addresses that customers give. */
  readonly outbound: Outbound;
  readonly keyCache: KeyCache;
  readonly sessionCache: SessionCache;
  readonly passwords: Passwords;
  /** What is counted per minute. */
  readonly rates: Rates;
  /** Whether anything may be sent to the platform: not on a restored database. */
  readonly safety: Safety;
  readonly background: Background;
  /** Null: the installation sends no mail. */
  readonly mail: Mail | null;
  /** What this process keeps between requests. */
  readonly state: ProcessState;
  /** Runs in the transaction that connects or reconnects an account. */
  readonly onConnected: (tx: Tx, account: { org_id: string; id: string }) => Promise<void>;
  close(): Promise<void>;
}

/**
 * What a use case sees inside a transaction: no handle that bypasses it, and nothing that waits for anything but the database. A new
 * member of App is not here until it is listed.
 */
export type TxApp = Pick<App, 'config' | 'log' | 'meters' | 'clock' | 'newId' | 'seal' | 'urls'> & {
  readonly store: Pick<ObjectStore, 'signUpload' | 'signPart' | 'signDownload'>;
  readonly safety: Pick<Safety, 'mode' | 'refusal'>;
  readonly outbound: Pick<Outbound, 'refusal'>;
  /** What a connector knows without a call. */
  readonly connector: (
    platform: string,
  ) => Pick<Connector, 'lostAnswerPolicy' | 'consent' | 'authorizeUrl' | 'check' | 'supports' | 'codes'>;
};
