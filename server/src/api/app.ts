// What every use case may use, as types. The parts are put together in ../app.ts.
import type { Config } from '../config/config.js';
import type { Connector } from '../connectors/connector.js';
import type { Database, Tx } from '../db/database.js';
import type { HotReads } from '../db/hot-reads.js';
import type { ObjectStore } from '../files/object-store.js';
import type { Background } from '../ground/background.js';
import type { Clock } from '../ground/clock.js';
import type { Log } from '../ground/log.js';
import type { Passwords } from '../ground/passwords.js';
import type { Seal } from '../ground/seal.js';
import type { Safety } from '../safety/safety.js';
import type { KeyCache, SessionCache } from './known-callers.js';

/** What every part of the service may use. */
export interface App {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly db: Database;
  readonly reads: HotReads;
  readonly seal: Seal;
  readonly store: ObjectStore;
  /** The platform. Asked for at each use: the built-in one's address is known only when we listen. */
  readonly connector: () => Connector;
  /** Where people reach us, and where this process reaches itself. Known from the start, unless the system chooses the port. */
  readonly address: { publicUrl: string; ownUrl: string };
  readonly keyCache: KeyCache;
  readonly sessionCache: SessionCache;
  readonly passwords: Passwords;
  /** Whether anything may be sent: not on a restored database. */
  readonly safety: Safety;
  readonly background: Background;
  /** Part of the transaction in which an account becomes connected, for the first time or again. */
  readonly onConnected: (tx: Tx, account: { org_id: string; id: string }) => Promise<void>;
  /** State of this process that belongs to one part: made by `make` at its first use, and gone with the App. */
  readonly perProcess: <T>(make: () => T) => T;
  close(): Promise<void>;
}

/** What a use case sees inside a transaction: everything but the handles that reach around it. */
export type TxApp = Omit<
  App,
  | 'db'
  | 'reads'
  | 'store'
  | 'connector'
  | 'keyCache'
  | 'sessionCache'
  | 'passwords'
  | 'background'
  | 'safety'
  | 'close'
> & {
  readonly store: Pick<ObjectStore, 'signUpload' | 'signDownload'>;
  readonly safety: Pick<Safety, 'mode' | 'refusal'>;
};
