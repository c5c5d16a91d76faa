// Which text reaches the platform, as the server's connectors/tiktok/requests.ts sends it: the counters and the preview show this.
// The platform counts UTF-16 units, like JavaScript. `rules/dashboard-limits` compares the limits.

import type { Post, SocialAccount } from '@airdate/sdk/core';
import { number } from '../text/numbers.js';
import { charactersOf, type Fields, LIMITS, type TextField } from './fields.js';

export type Mode = Post['publish_mode'];

const SENT = { title: 90, video: 2200, slides: 4000 } as const;
/** Nearer to the API's own limit than this, a counter shows it although the platform does not get the text. */
const NEAR = 100;

interface Written {
  postType: Post['post_type'];
  mode: Mode;
  fields: Pick<Fields, TextField>;
}

/** The mode that the post will most likely go out with: one that was chosen for it, or what its account prefers. */
export const likelyMode = (post: Post | undefined, account: SocialAccount | undefined): Mode =>
  post && (post.status === 'scheduled' || post.publish_mode === 'inbox' || post.last_publish_error !== null)
    ? post.publish_mode
    : (account?.default_mode ?? 'direct');

export interface Sent {
  title: string;
  caption: string;
  hashtags: string;
  /** Why some of the text is not there. */
  leftOut?: string;
}

export function sentText({ postType, mode, fields }: Written): Sent {
  const [title, caption, hashtags] = [fields.title, fields.caption, fields.hashtags].map((text) =>
    text.trim(),
  ) as [string, string, string];
  if (postType === 'video') {
    if (mode === 'inbox')
      return {
        ...NO_TEXT,
        leftOut: 'A video goes to the inbox without text. Write the caption in the app.',
      };
    // The field says that a video has no title; here it would be said of every video.
    return { title: '', caption, hashtags };
  }
  if (title.length <= SENT.title) return { title, caption, hashtags };
  return { title: '', caption, hashtags, leftOut: `Titles over ${SENT.title} characters are left out.` };
}

const NO_TEXT = { title: '', caption: '', hashtags: '' };

const HASHTAG = /(#[\p{L}\p{M}\p{N}_]+)/u;

interface Part {
  text: string;
  isTag: boolean;
  /** Where it begins. */
  at: number;
}

/** A text in parts: its hashtags, and what is between them. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const [n, part] of text.split(HASHTAG).entries()) {
    if (part !== '') parts.push({ text: part, isTag: n % 2 === 1, at });
    at += part.length;
  }
  return parts;
}

/** Caption and hashtags are one text there, with a blank line between them. */
const joinedLength = ({ caption, hashtags }: Written['fields']): number =>
  [caption, hashtags]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n').length;

export interface Counter {
  /** Absent where no limit is near. */
  count?: { now: number; most: number; what: string };
  /** What becomes of the text, if not what its writer expects. */
  note?: string;
  tone?: 'warning' | 'error';
}

const own = (field: TextField, text: string): NonNullable<Counter['count']> => ({
  now: charactersOf(text),
  most: LIMITS[field],
  what: 'characters',
});

/** The limit that matters for this field. */
export function counterOf(field: TextField, { postType, mode, fields }: Written): Counter {
  const text = fields[field];
  const mine = own(field, text);
  if (mine.now > mine.most) return { count: mine, tone: 'error' };
  const isVideo = postType === 'video';
  if (field === 'title') return titleCounter(mine, text.trim().length, isVideo);
  if (isVideo && mode === 'inbox')
    return { ...(mine.now === 0 ? {} : { note: 'Not sent to the inbox' }), count: mine };
  if (field === 'hashtags') return { count: mine };
  const most = isVideo ? SENT.video : SENT.slides;
  const now = joinedLength(fields);
  const excess = now - most;
  if (excess > 0)
    return {
      count: { now, most, what: 'characters with hashtags' },
      note: `Shorten caption or hashtags by ${number(excess)} to publish`,
      tone: 'error',
    };
  return { count: isVideo ? { now, most, what: 'characters with hashtags' } : mine };
}

function titleCounter(mine: NonNullable<Counter['count']>, sent: number, isVideo: boolean): Counter {
  if (isVideo) {
    const isNear = mine.now > mine.most - NEAR;
    return { note: 'Only shown in Airdate: videos have no title', ...(isNear ? { count: mine } : {}) };
  }
  const count = { now: sent, most: SENT.title, what: 'characters' };
  return sent > SENT.title
    ? { count, note: 'Too long to be sent, so the post goes out without a title', tone: 'warning' }
    : { count };
}
