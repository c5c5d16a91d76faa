// What the platform refuses for a while, whatever the post: everything of one account, or everything that goes through the app.
import type { ExpressionBuilder } from 'kysely';
import { DAY_MS } from '../core/durations.js';
import { type Reason, reasonWithoutCode } from '../core/reasons.js';
import { CLOCK_SLACK_MS } from '../db/clock-checks.js';
import type { SocialAccountRow, Tables } from '../db/tables.js';

/** Why is a sentence of the platform's, with its code. */
export interface Block extends Reason {
  /** Afterwards one post goes first; the block ends when the platform accepts it. */
  until: number;
}

/** What statements that read accounts select to know their blocks: the account's own, and its platform's. */
export const blockColumns = (eb: ExpressionBuilder<Tables, 'social_accounts'>) => {
  const ofPlatform = eb
    .selectFrom('platform_blocks')
    .whereRef('platform_blocks.platform', '=', 'social_accounts.platform');
  return [
    'blocked_until',
    'block_reason',
    'block_reason_code',
    ofPlatform.select('platform_blocks.blocked_until').as('platform_blocked_until'),
    ofPlatform.select('platform_blocks.reason').as('platform_block_reason'),
    ofPlatform.select('platform_blocks.reason_code').as('platform_block_reason_code'),
  ] as const;
};

export type BlockColumns = Pick<SocialAccountRow, 'blocked_until' | 'block_reason' | 'block_reason_code'> & {
  platform_blocked_until: number | null;
  platform_block_reason: string | null;
  platform_block_reason_code: string | null;
};

/**
 * The account's own block or the platform's, of those that count, whichever lasts longer. It may be over, and wait for the first post
 * to be accepted.
 */
export function blockOf(
  account: BlockColumns,
  isCounted: (block: Block) => boolean = () => true,
): Block | null {
  const { blocked_until, block_reason, block_reason_code } = account;
  const { platform_blocked_until, platform_block_reason, platform_block_reason_code } = account;
  const blocks: Block[] = [];
  if (blocked_until !== null)
    blocks.push({ until: blocked_until, reason: block_reason ?? '', code: block_reason_code ?? '' });
  if (platform_blocked_until !== null)
    blocks.push({
      until: platform_blocked_until,
      reason: platform_block_reason ?? '',
      code: platform_block_reason_code ?? '',
    });
  const [first, second] = blocks.filter(isCounted);
  return (first && second && second.until > first.until ? second : first) ?? null;
}

/** What keeps every post of the account from being sent now. */
export const runningBlock = (account: BlockColumns, now: number): Block | null =>
  blockOf(account, (block) => isRunning(block, now));

/** No block is longer: one that seems to be was set before the clock was set back. */
export const MAX_BLOCK_MS = DAY_MS;

/** Otherwise it is over, and waits for the first post to be accepted. */
export const isRunning = ({ until }: Pick<Block, 'until'>, now: number): boolean =>
  until > now && until <= now + MAX_BLOCK_MS + CLOCK_SLACK_MS;

/** The cause, to be used within a sentence: without the code, and with a small letter. */
export function causeOf({ reason, code }: Reason): string {
  const bare = reasonWithoutCode(reason, code);
  return bare.charAt(0).toLowerCase() + bare.slice(1);
}
