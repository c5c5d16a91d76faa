import type { Asset, Post } from '@airdate/sdk/core';
import { duration } from '../text/time.js';
import { Cover } from '../ui/Cover.js';
import { EditLink } from './links.js';
import classes from './PublishDialog.module.css';

/** A small preview of the post; text and files are edited in the composer. */
export function Preview({ post, assets }: { post: Post; assets: Asset[] | undefined }) {
  const cover = assets?.[post.cover_index ?? 0] ?? assets?.[0];
  const isVideo = post.post_type === 'video';
  return (
    <div className={classes.preview}>
      <div className={classes.thumbnail}>
        {isVideo && cover ? (
          <video
            src={`${cover.url}#t=${coverTime(post)}`}
            muted
            playsInline
            preload="metadata"
            aria-hidden
            tabIndex={-1}
          />
        ) : (
          <Cover post={{ post_type: post.post_type, cover_url: cover?.thumbnail_url ?? null }} isSmall />
        )}
      </div>
      <div className={classes.words}>
        <strong className={classes.title} dir="auto">
          {post.title}
        </strong>
        <span className={classes.soft}>{contentOf(post, assets)}</span>
        {post.caption && (
          <p className={classes.caption} dir="auto">
            {post.caption}
          </p>
        )}
        {post.hashtags && (
          <p className={classes.caption} dir="auto">
            {post.hashtags}
          </p>
        )}
        <EditLink postId={post.id}>Edit text and media</EditLink>
      </div>
    </div>
  );
}

/** In seconds. Not the very start, which is black in many videos. */
const coverTime = ({ cover_ms }: Post): number => (cover_ms ?? 100) / 1_000;

function contentOf({ post_type }: Post, assets: Asset[] | undefined): string {
  if (!assets) return '…';
  const [first] = assets;
  if (!first) return post_type === 'video' ? 'No video yet' : 'No slides yet';
  if (post_type === 'slides') return assets.length === 1 ? '1 slide' : `${assets.length} slides`;
  return first.duration_ms === null ? 'Video' : `Video, ${duration(first.duration_ms)}`;
}
