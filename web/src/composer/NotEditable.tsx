import type { Post } from '@airdate/sdk/core';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlatform } from '../api/platform.js';
import { UNTITLED } from '../text/post-title.js';
import { statusOf } from '../text/status.js';
import { EmptyState, Page } from '../ui/Page.js';
import { StatusBadge } from '../ui/StatusBadge.js';

export const isEditable = ({ status }: Post): boolean => status === 'draft' || status === 'scheduled';

const reasonsFor = ({ name, on }: { name: string; on: string }): Partial<Record<Post['status'], string>> => ({
  publishing: `It’s on its way to ${name}. You can’t change it until the outcome is known.`,
  posted: `It’s already ${on}, so you can’t change it here.`,
  archived: 'It’s archived. Unarchive it to edit it.',
});

/** In the place of the editor: why this post cannot be changed any more. */
export function NotEditable({ post }: { post: Post }) {
  const reasons = reasonsFor(usePlatform());
  return (
    <Page title="Edit post" actions={<StatusBadge {...statusOf(post)} />}>
      <EmptyState
        title={`You can’t edit “${post.title ?? UNTITLED}”`}
        action={
          <Button
            renderRoot={(props) => <Link to="/posts/$postId" params={{ postId: post.id }} {...props} />}
          >
            View post
          </Button>
        }
      >
        {post.status === 'posted' && post.in_inbox
          ? 'It’s already in the inbox, so you can’t change it here.'
          : reasons[post.status]}
      </EmptyState>
    </Page>
  );
}
