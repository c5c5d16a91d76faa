import type { Post } from '@airdate/sdk/core';
import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { isEditable } from '../post/nextStep.js';
import { useArchive, useDuplicate } from '../post/useArchive.js';
import { MenuLink, OpenMenu } from '../ui/OpenMenu.js';
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
      {may.publish && isEditable(post) && (
        <MenuLink to="/posts/$postId" params={params} search={{ publish: true }}>
          Publish…
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
