// What became of a publish, as a value. Each status has only its own fields, so that a URL cannot be read of a post that failed.
import { NotPublished, OutcomeUnknown } from '../client/errors.js';
import type { AnyOutcome, PublishedOutcome } from '../client/outcomes.js';
import type { PublishStatus } from '../client/schemas.js';

interface Checked {
  /**
   * Itself if the platform has the post. Otherwise it throws `OutcomeUnknown`, or `NotPublished` with the `outcome`.
   *
   * @example
   * ```ts
   * const outcome = await airdate.posts.publishAndWait(readyId, {
   *   social_account_id: accountId,
   *   privacy_level: 'PUBLIC_TO_EVERYONE',
   * });
   * console.log('live:', outcome.orThrow().post_url);
   * ```
   */
  orThrow(): PublishedOutcome;
}

/** What became of a publish: look at `status`, or call `orThrow()`. */
export type Outcome = AnyOutcome & Checked;

/** What became of a post that was sent. */
export type SentOutcome = Exclude<Outcome, { status: 'not_sent' }>;

/** Not a field, so that an outcome is printed and sent without it. */
const CHECKED = {
  orThrow(this: AnyOutcome): PublishedOutcome {
    if ('post_url' in this) return this;
    if (this.status === 'unknown') throw new OutcomeUnknown(this.fail_reason, 'outcome_unknown');
    // The reason is in the message too: of an error that is not caught, a log shows nothing else.
    if (this.status === 'failed')
      throw new NotPublished(`The post was not published: ${this.fail_reason}`, this);
    throw new NotPublished(MESSAGES[this.status], this);
  },
};

const MESSAGES = {
  processing: 'The post is still being published; do not publish it again.',
  scheduled: 'The post is not published yet: its slot is ahead.',
  not_sent: 'The post is neither published nor scheduled.',
};

interface Known {
  status: PublishStatus['status'] | 'scheduled' | 'not_sent';
  dispatch_id?: string | undefined;
  publish_id?: string | null;
  social_status?: string | null;
  fail_reason?: string | null;
  post_url?: string | null;
  scheduled_at?: string | null;
}

/** The outcome with the fields of its status, whatever else is known. */
export function outcomeOf(known: Known): Outcome {
  return Object.assign(Object.create(CHECKED) as Checked, fieldsOf(known));
}

function fieldsOf({ status, dispatch_id, ...known }: Known): AnyOutcome {
  const { publish_id = null, social_status = null, post_url = null, scheduled_at } = known;
  const attempt = { dispatch_id, publish_id, social_status };
  switch (status) {
    case 'published':
    case 'in_inbox':
      return { status, post_url, ...attempt };
    case 'failed':
      return {
        status,
        fail_reason: known.fail_reason ?? 'It failed; the platform does not say why.',
        ...attempt,
      };
    case 'unknown':
      return { status, fail_reason: known.fail_reason ?? 'The platform did not answer.', ...attempt };
    case 'processing':
      return { status, ...attempt };
    case 'scheduled':
      return { status, scheduled_at: scheduled_at ?? '', dispatch_id };
    case 'not_sent':
      return { status };
  }
}
