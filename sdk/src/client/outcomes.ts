// What can become of a publish, by its status. Each has only its own fields.

interface Attempt {
  /** Undefined if it is not known whether there was an attempt. */
  dispatch_id: string | undefined;
  publish_id: string | null;
  /** The platform's own word. */
  social_status: string | null;
}

/** The platform has the post. `post_url` is null until the platform has told it, and for a draft in the inbox. */
export interface PublishedOutcome extends Attempt {
  status: 'published' | 'in_inbox';
  post_url: string | null;
}

/** It is not on the platform, and is not tried again. */
export interface FailedOutcome extends Attempt {
  status: 'failed';
  fail_reason: string;
}

/** It may or may not be on the platform. Never publish it again because of this: let a person look, and call `posts.resolve`. */
export interface UnknownOutcome extends Attempt {
  status: 'unknown';
  fail_reason: string;
}

/** The platform has not decided yet, and the time to wait is over. */
export interface ProcessingOutcome extends Attempt {
  status: 'processing';
}

/** Its slot is ahead, or it is tried again then, and the time to wait is over. */
export interface ScheduledOutcome {
  status: 'scheduled';
  scheduled_at: string;
  /** The attempt that failed before; undefined if there was none. */
  dispatch_id: string | undefined;
}

/** A draft that was never sent: there is nothing to wait for. */
export interface NotSentOutcome {
  status: 'not_sent';
}

export type AnyOutcome =
  | PublishedOutcome
  | FailedOutcome
  | UnknownOutcome
  | ProcessingOutcome
  | ScheduledOutcome
  | NotSentOutcome;
