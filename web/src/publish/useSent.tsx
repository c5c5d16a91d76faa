// What is said once the post was published or scheduled, wherever the sheet was opened.
import type { Post } from '@airdate/sdk';
import { notifications } from '@mantine/notifications';
import { useRouter } from '@tanstack/react-router';
import { NoticeLink } from '../ui/NoticeLink.js';
import { usePlatform } from '../ui/platform.js';
import { dateAndTime } from '../ui/time.js';
import { forgetForm } from './kept-form.js';

interface Sheet {
  post: Post;
  isReschedule: boolean;
  onClose: () => void;
  onDone: (() => void) | undefined;
}

/** Long enough to follow the link in it. */
const SHOWN_MS = 10_000;

export function useSent({ post, isReschedule, onClose, onDone }: Sheet) {
  const router = useRouter();
  const platform = usePlatform();
  function done(title: string, text: string): void {
    forgetForm(post.id);
    onClose();
    onDone?.();
    const id = notifications.show({
      color: 'green',
      autoClose: SHOWN_MS,
      title,
      message: (
        <>
          {text}{' '}
          <NoticeLink
            router={router}
            postId={post.id}
            onFollow={() => notifications.hide(id)}
            text="See the post"
          />
        </>
      ),
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
          : 'It may take a few minutes to appear.',
      ),
  };
}
