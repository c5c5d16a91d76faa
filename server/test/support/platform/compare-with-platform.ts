// The service's view of a post, compared with the platform's.

import type { Database } from '../../../src/db/database.js';
import { recount } from '../../../src/db/recount.js';
import type { AttemptRow, PostRow } from '../../../src/db/tables.js';

/** A line of the platform's ledger: an init that it accepted. */
export interface Published {
  publish_id: string;
  status: string;
  bytes: number;
  request: { source_info: { video_size?: number } };
}

export const isLive = ({ status }: Published) => status === 'PUBLISH_COMPLETE';

export interface Judgement {
  live: string[];
  /** The outcome cannot be known, and the service says so. */
  isUnknown: boolean;
  twice: string[];
  lost: string[];
  wrong: string[];
}

/** What is allowed because of the injected faults. */
export interface Excuses {
  /** A dead process takes the platform's answer with it, and a lie is no answer. */
  mayBeUnknown: boolean;
  /** Inits that the platform took and denied: an attempt may repeat such an init with new URLs. */
  lies: number;
}

/** Called when nothing is left to do: attempts in order, and the platform's lines of this post. */
export function judgePost(
  post: PostRow,
  attempts: AttemptRow[],
  ledger: Published[],
  { mayBeUnknown, lies }: Excuses = { mayBeUnknown: true, lies: 0 },
): Judgement {
  const live = ledger.filter(isLive).map(({ publish_id }) => publish_id);
  const last = attempts.at(-1);
  const isUnknown = post.status === 'publishing' && last?.outcome === 'unknown';
  const isPosted = post.status === 'posted';
  const found: Judgement = { live, isUnknown, twice: [], lost: [], wrong: [] };
  const wrongIf = (isWrong: boolean, what: string) => isWrong && found.wrong.push(what);

  if (live.length > 1) found.twice.push(`${live.length} live posts`);
  if (!isPosted && !isUnknown) found.lost.push(`it is ${post.status}: ${post.last_publish_error}`);
  wrongIf(!isUnknown && live.length !== (isPosted ? 1 : 0), `${post.status} with ${live.length} live posts`);
  const isUndecided = post.post_type === 'slides' && last?.fetched_at !== null && last?.publish_id === null;
  wrongIf(isUnknown && !(isUndecided && mayBeUnknown), 'it is unknown, although it could be known');
  const published = attempts
    .filter(({ outcome }) => outcome === 'published')
    .map(({ publish_id }) => publish_id);
  wrongIf(isPosted && published.join() !== live.join(), 'the log names another publish than the live one');
  wrongIf((post.posted_at !== null) !== isPosted, `posted_at is ${post.posted_at}, but it is ${post.status}`);
  wrongIf(
    ledger.length > attempts.length + lies,
    `${ledger.length} inits, and the log has ${attempts.length}`,
  );
  for (const { attempt, outcome, phase, lease_until, next_at, platform_post_id } of attempts) {
    // The address of a published post may come later, and is asked for.
    const isDone = next_at === null || (outcome === 'published' && platform_post_id === null);
    const isAtRest = outcome !== 'started' && phase === 'done' && lease_until === null && isDone;
    wrongIf(!isAtRest, `attempt ${attempt} was left ${outcome}, ${phase}`);
  }
  return found;
}

/** Counters that disagree with the rows. */
export async function wrongCounters(db: Database): Promise<string[]> {
  const cells = await recount(db, ['posts', 'inbox', 'dispatches']);
  return cells.map(({ cell }) => `the counter ${cell}`);
}
