import type { Post } from '@airdate/sdk/core';
import { ActionIcon, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Eye, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { statusOf } from '../text/status.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { usePhone } from '../ui/usePhone.js';
import type { Draft } from './draft.js';
import classes from './Editor.module.css';
import { SavedIndicator } from './SavedIndicator.js';

interface Props {
  draft: Draft;
  post: Post | undefined;
  mayWrite: boolean;
  /** What publishes the post. On a phone it is at the bottom, and the screen is closed here. */
  actions: ReactNode;
}

/** What stands beside the title of the screen. */
export function EditorHeader({ draft, post, mayWrite, actions }: Props) {
  const isPhone = usePhone();
  const { id } = draft;
  return (
    <div className={classes.header}>
      <SavedIndicator draft={draft} mayWrite={mayWrite} />
      {post && <StatusBadge {...statusOf(post)} />}
      {id !== undefined && <ViewPost postId={id} isSmall={isPhone} />}
      {isPhone ? <Close /> : actions}
    </div>
  );
}

function ViewPost({ postId, isSmall }: { postId: string; isSmall: boolean }) {
  const root = (props: object) => <Link to="/posts/$postId" params={{ postId }} {...props} />;
  if (!isSmall)
    return (
      <Button variant="subtle" color="gray" renderRoot={root}>
        View post
      </Button>
    );
  return (
    <ActionIcon size={44} variant="subtle" color="gray" aria-label="View post" renderRoot={root}>
      <Eye size={20} />
    </ActionIcon>
  );
}

const Close = () => (
  <ActionIcon
    size={44}
    variant="subtle"
    color="gray"
    aria-label="Close"
    renderRoot={(props) => <Link to="/library" {...props} />}
  >
    <X size={20} />
  </ActionIcon>
);
