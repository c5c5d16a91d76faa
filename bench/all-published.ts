// Waits for posts that are due until the platform has published all of them.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '@airdate/server/src/app/app.js';
import { type Attempt, attemptsAt, type Owner } from '@airdate/server/test/support/world/due-posts.js';

const TIMEOUT_MS = 300_000;

/** Those that are due between these times. A benchmark measures nothing if one fails, or needs a second attempt. */
export async function allPublished(
  app: App,
  owner: Owner,
  due: [number, number],
  posts: number,
): Promise<Attempt[]> {
  const giveUpAt = due[1] + TIMEOUT_MS;
  for (;;) {
    await delay(500);
    const attempts = await attemptsAt(app, owner, due);
    const trouble = attempts.find(({ outcome, attempt }) => outcome === 'failed' || attempt > 1);
    if (trouble) throw new Error(`an attempt failed: ${trouble.error_message}`);
    if (attempts.filter(({ outcome }) => outcome === 'published').length === posts) return attempts;
    if (app.clock.now() > giveUpAt)
      throw new Error(`timed out: ${attempts.length} of ${posts} posts have an attempt`);
  }
}
