// Problems besides the form itself: preflight's findings that the form does not answer, the length of the video against what
// the chosen account may post, and a failure that nothing has been done about. One message for each cause.
import type { Asset, CreatorOptions, Post, PostProblem, Preflight } from '@airdate/sdk/core';
import { UNTITLED } from '../text/post-title.js';
import type { Failure } from './failure.js';
import type { PublishForm } from './form.js';

/** Answered by the form, which asks for them again: the post's stored values do not count. */
const OF_THE_FORM = [
  '/social_account_id',
  '/scheduled_at',
  '/privacy_level',
  '/disable_comment',
  '/disable_duet',
  '/disable_stitch',
];
/** True only of the stored account or mode. */
const OF_WHAT_IS_STORED = ['video_too_long', 'text_not_sent', 'creator_unknown', 'reconnect_required'];

export function problemsOf(
  preflight: Preflight | undefined,
  post: Pick<Post, 'post_type' | 'title'>,
  form: PublishForm,
  creator: CreatorOptions | undefined,
  assets: Asset[] | undefined,
  failure: Failure | null,
): PostProblem[] {
  const stored = (preflight?.problems ?? []).filter(
    ({ code, pointer }) => !OF_WHAT_IS_STORED.includes(code) && !OF_THE_FORM.includes(pointer ?? ''),
  );
  const long = form.mode === 'direct' ? tooLong(creator, assets) : null;
  return mergedByCode(
    [...stored, ...(long ? [long] : [])],
    unsolved(failure),
    isNameless(post) ? [NAMELESS] : [],
  );
}

/** A cause that an earlier list names is not repeated by a later one. */
export function mergedByCode<P extends { code: string }>(...lists: P[][]): P[] {
  const all: P[] = [];
  for (const list of lists) {
    const known = new Set(all.map(({ code }) => code));
    all.push(...list.filter(({ code }) => !known.has(code)));
  }
  return all;
}

/** No error: the member may know better. The account says itself what is wrong with it. */
const unsolved = (failure: Failure | null): PostProblem[] =>
  failure?.isOpen && failure.code !== 'reconnect_required'
    ? [
        {
          code: failure.code,
          detail: `Last attempt failed. ${failure.message}`,
          pointer: null,
          level: 'warning',
        },
      ]
    : [];

/** The title is sent with slides, not with a video. */
const isNameless = ({ post_type, title }: Pick<Post, 'post_type' | 'title'>): boolean =>
  post_type === 'slides' && title === UNTITLED;

const NAMELESS: PostProblem = {
  code: 'untitled',
  detail: `Viewers will see “${UNTITLED}” as the title.`,
  pointer: '/title',
  level: 'warning',
};

function tooLong(creator: CreatorOptions | undefined, assets: Asset[] | undefined): PostProblem | null {
  const ms = assets?.[0]?.duration_ms ?? 0;
  const most = creator?.max_video_post_duration_sec ?? Number.POSITIVE_INFINITY;
  if (ms <= most * 1000) return null;
  return {
    code: 'video_too_long',
    detail: `The video is ${Math.ceil(ms / 1000)} seconds long, and this account can post up to ${most} seconds. Use a shorter one.`,
    pointer: null,
    level: 'error',
  };
}
