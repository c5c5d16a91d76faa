import type { Post } from '@airdate/sdk';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/EmptyState.js';
import { Page } from '../ui/Page.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { statusOf } from '../ui/status.js';
import { UNTITLED } from './fields.js';

const REASONS: Partial<Record<Post['status'], string>> = {
  publishing: 'It is on its way to the platform. Nothing can be changed until its outcome is known.',
  posted: 'It is on the platform, and what is published there cannot be changed from here.',
  archived: 'It is in the archive. Take it out of there to work on it again.',
};

export function NotEditable({ post }: { post: Post }) {
  return (
    <Page title="Edit post" actions={<StatusBadge {...statusOf(post)} />}>
      <EmptyState
        title={`“${post.title ?? UNTITLED}” cannot be edited`}
        action={
          <Button
            renderRoot={(props) => <Link to="/posts/$postId" params={{ postId: post.id }} {...props} />}
          >
            View post
          </Button>
        }
      >
        {REASONS[post.status]}
      </EmptyState>
    </Page>
  );
}
