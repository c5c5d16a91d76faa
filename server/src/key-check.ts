// Whether the encryption key is the one of the database.
import { ConfigError } from './config/config.js';
import { keyIdOf, type Seal } from './core/seal.js';
import type { Database } from './db/database.js';
import { KEY_CHECK_CONTEXT } from './db/sealed-table.js';

/** With another key than the database was created with, nothing sealed in it could be opened: the start fails. */
export async function assertEncryptionKey(db: Database, seal: Seal): Promise<void> {
  const { sealed } = await db.transact(async (tx) => {
    const row = { id: 1 as const, sealed: seal.seal('airdate', KEY_CHECK_CONTEXT) };
    await tx
      .insertInto('key_check')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return tx.selectFrom('key_check').select('sealed').executeTakeFirstOrThrow();
  });
  try {
    seal.unseal(sealed, KEY_CHECK_CONTEXT);
  } catch {
    throw new ConfigError([
      `ENCRYPTION_KEY (or encryption.key in DATA_DIR) is not the key of this database, which has the id ${keyIdOf(sealed)}. Restore that key, or add it to ENCRYPTION_KEYS_OLD.`,
    ]);
  }
}
