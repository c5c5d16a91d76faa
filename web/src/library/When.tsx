import type { Post } from '@airdate/sdk/core';
import { inFull, relative } from '../text/time.js';
import { useNow } from '../ui/Time.js';

/** The one time that matters about a post: when it goes out, was due, went out, or was created. */
export function When({ post }: { post: Post }) {
  const present = useNow();
  const [before, at] = momentOf(post, present);
  // A past event is never shown in the future, whatever the clocks of browser and server say.
  const now = post.status === 'scheduled' ? present : Math.max(present, new Date(at).getTime());
  return (
    <>
      {before && `${before} `}
      <time dateTime={at} title={inFull(at)} className="figures">
        {relative(at, now)}
      </time>
    </>
  );
}

/**
 * The badge beside it says "Scheduled", "In the inbox" or "Posted", so the time needs no word then. Never the time of the last change: the
 * worker changes posts too, and so do archiving and its undo.
 */
function momentOf(post: Post, now: number): [before: string, at: string] {
  if (post.status === 'scheduled' && post.scheduled_at !== null)
    return [new Date(post.scheduled_at).getTime() > now ? '' : 'Was due', post.scheduled_at];
  if (post.status === 'publishing') return ['Sent', post.updated_at];
  if (post.posted_at !== null)
    return [post.status === 'posted' ? '' : post.in_inbox ? 'Sent' : 'Posted', post.posted_at];
  if (post.last_slot !== null) return ['Was due', post.last_slot];
  return ['Created', post.created_at];
}
