// What the platform refuses for a while, whatever the post: everything of one account, or everything that goes through the app.
import type { Reader, Tx } from '../db/database.js';
import { CLOCK_SLACK_MS } from '../db/due-times.js';
import type { SocialAccountRow } from '../db/tables.js';

export interface Block {
  /** Afterwards one post goes first; the block ends when the platform accepts it. */
  until: number;
  /** A sentence that ends with the platform's code. */
  reason: string;
}

export type PlatformBlocks = ReadonlyMap<string, Block>;

/** By platform. There are hardly ever any. */
export async function readPlatformBlocks(read: Reader | Tx): Promise<PlatformBlocks> {
  const rows = await read
    .selectFrom('platform_blocks')
    .select(['platform', 'blocked_until as until', 'reason'])
    .execute();
  return new Map(rows.map(({ platform, ...block }) => [platform, block]));
}

/** The account's own block or the platform's, whichever lasts longer. */
export function blockOf(
  {
    platform,
    blocked_until,
    block_reason,
  }: Pick<SocialAccountRow, 'platform' | 'blocked_until' | 'block_reason'>,
  platforms: PlatformBlocks,
): Block | null {
  const own =
    blocked_until === null || block_reason === null ? null : { until: blocked_until, reason: block_reason };
  const shared = platforms.get(platform) ?? null;
  if (own === null || shared === null) return own ?? shared;
  return shared.until > own.until ? shared : own;
}

/** No block is longer: one that seems to be was set before the clock was set back. */
export const MAX_BLOCK_MS = 24 * 3_600_000;

/** Not a block that is over and waits for the first post to be accepted. */
export const ifRunning = (block: Block | null, now: number): Block | null =>
  block !== null && block.until > now && block.until <= now + MAX_BLOCK_MS + CLOCK_SLACK_MS ? block : null;

/** As part of another sentence: without the code, and with a small letter. */
export function causeOf({ reason }: Pick<Block, 'reason'>): string {
  const bare = reason.replace(/\s*\([\w.-]+\)$/, '');
  return bare.charAt(0).toLowerCase() + bare.slice(1);
}
