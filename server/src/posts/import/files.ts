// What an import needs to know of files, which this folder knows nothing of: those that lines name by address are fetched later.
import type { TxApp } from '../../app/app.js';
import type { Tx } from '../../db/database.js';
import type { CallerWithAddress } from '../../request/caller.js';
import type { MaxFiles } from './columns.js';
import type { PlannedPost } from './plan.js';
import type { ImportResult } from './schema.js';

export type FetchForecast = NonNullable<ImportResult['fetch']>;

export interface ImportedFiles {
  maxPerPost: MaxFiles;
  /** Writes the files of new posts, to be fetched. */
  write(app: TxApp, tx: Tx, caller: CallerWithAddress, posts: readonly PlannedPost[]): Promise<void>;
  /** In the transaction that has written the files: when all of them will have arrived. */
  forecast(app: TxApp, tx: Tx, orgId: string, posts: readonly PlannedPost[]): Promise<FetchForecast>;
}
