// The current status of the post, in one line that updates itself.
import type { ReactNode } from 'react';
import { usePlatform } from '../api/platform.js';
import { dateAndTime, dayAndClock, duration, inUtc, relative } from '../text/time.js';
import { Moment, useNow } from '../ui/Time.js';
import classes from './PostPage.module.css';
import type { PostFacts } from './usePost.js';

export function StatusLine({ facts }: { facts: PostFacts }) {
  const now = useNow(facts.isMoving ? 1_000 : 5_000);
  const { says, counts, more } = lineOf(facts, now, usePlatform());
  return (
    <div className={classes.line}>
      <p>
        <span role="status">{says}</span>
        {/* Announcing every second would drown out everything else. */}
        {counts && (
          <span aria-hidden className="figures">
            , {counts}
          </span>
        )}
      </p>
      {more}
    </div>
  );
}

interface Line {
  says: ReactNode;
  counts?: string;
  more?: ReactNode;
}

function lineOf(facts: PostFacts, now: number, words: ReturnType<typeof usePlatform>): Line {
  const { post, latest, platform, failure, isMoving } = facts;
  // A past event is never shown in the future, whatever the clocks of browser and server say.
  const ago = (at: string) => relative(at, Math.max(now, Date.parse(at)));
  const since = (at: string) => duration(now - new Date(at).getTime());
  if (latest && isMoving)
    return latest.outcome === 'started'
      ? { says: `Sending to ${words.name}`, counts: since(latest.started_at) }
      : {
          says: `Processing ${words.on}`,
          counts: since(latest.accepted_at ?? latest.started_at),
          more: <p className={classes.hint}>It may take a few minutes to appear there.</p>,
        };
  switch (post.status) {
    case 'scheduled':
      return { says: post.scheduled_at ? <GoesOut at={post.scheduled_at} now={now} /> : 'Scheduled' };
    case 'publishing':
      return latest?.outcome === 'unknown'
        ? { says: `Sent ${ago(latest.started_at)}. We don’t know the outcome.` }
        : { says: 'Sending' };
    case 'posted':
      if (post.in_inbox || platform?.status === 'in_inbox')
        return { says: `In the inbox: open the notification in ${words.app} to finish it.` };
      return { says: <Posted at={latest?.finished_at ?? post.posted_at ?? post.updated_at} now={now} /> };
    case 'archived':
      return {
        says: `Archived. ${post.posted_at ? `${post.in_inbox ? 'Sent to the inbox' : 'Posted'} ${ago(post.posted_at)}.` : 'It won’t go out.'}`,
      };
    case 'draft':
      if (failure)
        return {
          says: failure.at === null ? 'Not posted.' : `Failed ${ago(failure.at)}.`,
          ...(post.last_slot === null || isSameMinute(post.last_slot, failure.at)
            ? {}
            : { more: <LostSlot at={post.last_slot} now={now} /> }),
        };
      // Not when it was last changed: archiving and restoring it is a change too.
      return { says: `Draft, not scheduled. Created ${ago(post.created_at)}.` };
  }
}

const isSameMinute = (one: string, other: string | null) =>
  other !== null && one.slice(0, 16) === other.slice(0, 16);

/** The slot that it should have gone out at. */
const LostSlot = ({ at, now }: { at: string; now: number }) => (
  <p className={classes.hint}>
    It was due <Moment at={at}>{dateAndTime(at, now)}</Moment>.
  </p>
);

function GoesOut({ at, now }: { at: string; now: number }) {
  const ms = new Date(at).getTime() - now;
  const then = `${dayAndClock(at, now)} your time (${inUtc(at)})`;
  return (
    <Moment at={at}>
      {ms > 0 ? `Goes out in ${duration(ms)}, ${then}` : `Was due ${duration(ms)} ago, ${then}`}
    </Moment>
  );
}

const Posted = ({ at, now }: { at: string; now: number }) => (
  <Moment at={at}>Posted {relative(at, now)}</Moment>
);
