// Due posts that wait for a file that Airdate was asked to fetch. The transaction that settles or removes the file ends the waiting
// (assets/missing.ts); a slot that is too old by then is missed.
import { endWaiting } from '../../assets/missing.js';
import type { Tx } from '../../db/database.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';
import { WAITS_FOR_FILE } from '../../posts/readiness/findings.js';
import { changePost } from '../../posts/write.js';
import type { App, TxApp } from '../../request/app.js';
import { recordFailureWithoutAttempt } from './events.js';

/** The post must be locked: a file that settles meanwhile then finds it waiting. */
export async function waitForFiles(
  app: TxApp,
  tx: Tx,
  post: PostRow,
  slot: number,
  now: number,
): Promise<void> {
  const wait_until = slot + app.config.publishing.maxLatenessMs + 1;
  await changePost(app, tx, post, { wait_until, last_publish_error: WAITS_FOR_FILE, wait_reason: 'file' });
  const told = { status: 'scheduled', last_publish_error: WAITS_FOR_FILE } as const;
  await recordFailureWithoutAttempt(tx, post, now, 'uploads_pending', told);
}

const BATCH = 100;

/** For the safety net: a process of an older version settles files without ending the waiting. Returns how many were released. */
export function releaseWaiting(app: App): Promise<number> {
  return app.db.transact(async (tx) => {
    const waiting = await tx
      .selectFrom('posts')
      .select(POST_COLUMNS)
      .where('status', '=', 'scheduled')
      .where('wait_until', '>', app.clock.now())
      .where('wait_reason', '=', 'file')
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('assets')
              .select('assets.id')
              .whereRef('assets.org_id', '=', 'posts.org_id')
              .whereRef('assets.post_id', '=', 'posts.id')
              .where('assets.state', '=', 'pending')
              .where('assets.is_fetched', '=', 1),
          ),
        ),
      )
      .orderBy('id')
      .limit(BATCH)
      .forUpdate()
      .execute();
    for (const post of waiting) await endWaiting(app, tx, post);
    return waiting.length;
  });
}
