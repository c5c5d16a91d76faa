import type { Post } from '@airdate/sdk/core';
import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { addMediaLabel, isEditable } from '../post/nextStep.js';
import { useArchive, useDuplicate } from '../post/useArchive.js';
import { hasMedia, isUploading } from '../text/readiness.js';
import { MenuLink, OpenMenu } from '../ui/OpenMenu.js';
import classes from './Card.module.css';
import type { Rights } from './useRights.js';
import '../ui/overlays.css';

export interface PostActions {
  post: Post;
  may: Rights;
}

export function PostMenuItems({ post, may, button }: PostActions & { button: ReactElement }) {
  const { archive, unarchive } = useArchive();
  const duplicate = useDuplicate();
  const params = { postId: post.id };
  const isArchived = post.status === 'archived';
  return (
    <OpenMenu button={button} position="bottom-end" width={180}>
      <MenuLink to="/posts/$postId" params={params}>
        Open
      </MenuLink>
      {may.write && isEditable(post) && (
        <MenuLink to="/posts/$postId/edit" params={params}>
          Edit
        </MenuLink>
      )}
      {may.publish && isEditable(post) && <PublishItem post={post} />}
      {may.publish && may.write && isEditable(post) && (
        <MenuLink to="/posts/$postId" params={params} search={{ schedule: true }}>
          {post.status === 'scheduled' ? 'Reschedule…' : 'Schedule…'}
        </MenuLink>
      )}
      {may.write && <Menu.Item onClick={() => void duplicate(post)}>Duplicate</Menu.Item>}
      {may.write && (
        <Menu.Item onClick={() => void (isArchived ? unarchive : archive)([post])}>
          {isArchived ? 'Unarchive' : 'Archive'}
        </Menu.Item>
      )}
    </OpenMenu>
  );
}

/** Without media it says what comes first. */
function PublishItem({ post }: { post: Post }) {
  if (hasMedia(post))
    return (
      <MenuLink to="/posts/$postId" params={{ postId: post.id }} search={{ publish: true }}>
        Publish…
      </MenuLink>
    );
  return (
    <Menu.Item disabled>
      Publish…
      <span className={classes.whyNot}>
        {isUploading(post) ? 'Its files aren’t there yet.' : `${addMediaLabel(post)} first.`}
      </span>
    </Menu.Item>
  );
}
