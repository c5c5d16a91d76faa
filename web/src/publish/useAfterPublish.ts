// What is said once the post was published or scheduled, wherever the sheet was opened.
import type { Post } from '@airdate/sdk/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { usePlatform } from '../api/platform.js';
import { dateAndTime } from '../text/time.js';
import { hideActionNotice, showActionNotice } from '../ui/action-notice.js';
import { useIsOnPage } from './links.js';

interface Sheet {
  post: Post;
  isReschedule: boolean;
  /** Drops the saved form. */
  forget: () => void;
  onClose: () => void;
  onDone: (() => void) | undefined;
}

const noticeOf = (postId: string): string => `sent-${postId}`;

/** "Accepted" is outdated, and may be over the reason of a failure, once the page of the post shows the outcome. */
export function useOutdatedNotice(postId: string, isMoving: boolean): void {
  const wasMoving = useRef(isMoving);
  useEffect(() => {
    if (wasMoving.current && !isMoving) hideActionNotice(noticeOf(postId));
    wasMoving.current = isMoving;
  }, [postId, isMoving]);
}

export function useAfterPublish({ post, isReschedule, forget, onClose, onDone }: Sheet) {
  const navigate = useNavigate();
  const page = { to: '/posts/$postId', params: { postId: post.id } } as const;
  const isOnPage = useIsOnPage(post.id);
  // The composer goes there by itself.
  const endsOnPostPage = isOnPage || onDone !== undefined;
  const platform = usePlatform();
  function done(title: string, text: string): void {
    forget();
    onClose();
    onDone?.();
    showActionNotice({
      id: noticeOf(post.id),
      color: 'green',
      title,
      text,
      button: endsOnPostPage ? undefined : { label: 'See the post', onClick: () => void navigate(page) },
    });
  }
  return {
    scheduled: ({ scheduled_at }: Pick<Post, 'scheduled_at'>) =>
      done(
        isReschedule ? 'Rescheduled' : 'Scheduled',
        `${post.title} goes out ${dateAndTime(scheduled_at ?? '')}.`,
      ),
    accepted: (mode: Post['publish_mode']) =>
      done(
        `Accepted by ${platform.name}`,
        mode === 'inbox'
          ? `Open the notification in ${platform.app} to finish the post.`
          : `${endsOnPostPage ? 'This' : 'Its'} page says when it’s live.`,
      ),
  };
}
