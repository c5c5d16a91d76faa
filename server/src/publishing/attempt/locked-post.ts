// How the engine locks posts: by their whole key, whatever their status.

import type { Tx } from '../../db/database.js';
import { prepareWrite } from '../../db/prepared-statements.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';

export async function findAndLockPost(tx: Tx, orgId: string, id: string): Promise<PostRow | null> {
  return (await lockOne(tx, orgId, id)).rows[0] ?? null;
}

const lockOne = prepareWrite((tx, orgId: string, id: string) =>
  tx.selectFrom('posts').select(POST_COLUMNS).where('org_id', '=', orgId).where('id', '=', id).forUpdate(),
);
