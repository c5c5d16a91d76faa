import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMay } from '../api/queries.js';
import { OpenMenu } from '../ui/OpenMenu.js';
import classes from './PostPage.module.css';
import { useArchive, useDuplicate } from './useArchive.js';
import type { PostFacts } from './usePost.js';
import '../ui/overlays.css';

interface Props {
  facts: PostFacts;
  onRemove: () => void;
  button: ReactElement;
}

export function MoreMenu({ facts: { post, latest }, onRemove, button }: Props) {
  const { archive } = useArchive();
  const duplicate = useDuplicate();
  const mayPublish = useMay('posts:publish');
  const isArchived = post.status === 'archived';
  const isDeletable = post.status === 'draft' || isArchived;
  return (
    <OpenMenu button={button} position="bottom-end" width={200}>
      <Menu.Item onClick={() => void duplicate(post)}>Duplicate</Menu.Item>
      {!isArchived && <Menu.Item onClick={() => void archive([post])}>Archive</Menu.Item>}
      {isDeletable ? (
        <Menu.Item className={classes.danger ?? ''} onClick={onRemove}>
          Delete…
        </Menu.Item>
      ) : (
        mayPublish && <Menu.Label>{whyKept(post.status, latest?.outcome)}</Menu.Label>
      )}
    </OpenMenu>
  );
}

const whyKept = (status: string, outcome: string | undefined) =>
  outcome === 'unknown' && status === 'publishing'
    ? 'Resolve it before you delete it.'
    : 'To delete it, archive it first.';
