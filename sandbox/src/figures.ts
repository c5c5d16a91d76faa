// How often a post was viewed, liked, shared and commented on. The figures follow from its number and its age alone, so that
// they grow with time, never shrink, and are the same after a restart.
import { createHash } from 'node:crypto';
import { DAY_MS } from './platform.js';

export interface Figures {
  view_count: number;
  like_count: number;
  comment_count: number;
  share_count: number;
}

/** Most views come in the first days; a few percent of them never stop coming. */
const FAST_DAYS = 1.5;
const TAIL = 0.05;

export function figuresOf(postId: string, ageMs: number): Figures {
  const [fame, likes, comments, shares] = chances(postId);
  const days = Math.max(0, ageMs) / DAY_MS;
  // From a hundred views to about fifty thousand; most posts have few.
  const expected = 100 * Math.exp(fame ** 2 * Math.log(500));
  const views = Math.floor(expected * (1 - Math.exp(-days / FAST_DAYS) + TAIL * Math.log1p(days)));
  return {
    view_count: views,
    like_count: Math.floor(views * (0.03 + 0.09 * likes)),
    comment_count: Math.floor(views * (0.002 + 0.008 * comments)),
    share_count: Math.floor(views * (0.001 + 0.006 * shares)),
  };
}

/** Four numbers between 0 and 1, always the same for a post. */
function chances(postId: string): [number, number, number, number] {
  const bytes = createHash('sha256').update(postId).digest();
  const at = (i: number) => bytes.readUInt32BE(4 * i) / 2 ** 32;
  return [at(0), at(1), at(2), at(3)];
}
