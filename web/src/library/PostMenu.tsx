import type { Post } from '@airdate/sdk';
import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import { type ComponentPropsWithRef, useState } from 'react';
import { isEditable, titleOf } from '../post/nextStep.js';
import { useArchive } from '../post/useArchive.js';
import { MenuLink } from '../ui/links.js';
import type { Rights } from './useRights.js';

interface Props {
  post: Post;
  may: Rights;
  className?: string | undefined;
}

/** All actions on a post without opening it. A menu is heavy, so a page of posts starts with plain buttons. */
export function PostMenu({ post, may, className = '' }: Props) {
  const [isUsed, setUsed] = useState(false);
  const props = { className, 'aria-label': `Actions for ${titleOf(post)}` };
  if (!isUsed) return <Dots {...props} aria-haspopup="menu" onClick={() => setUsed(true)} />;
  return (
    <Menu position="bottom-end" width={180} defaultOpened returnFocus>
      <Menu.Target>
        <Dots {...props} />
      </Menu.Target>
      <Menu.Dropdown>
        <Items post={post} may={may} />
      </Menu.Dropdown>
    </Menu>
  );
}

type DotsProps = ActionIconProps & Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps>;

const Dots = (props: DotsProps) => (
  <ActionIcon variant="default" size={32} {...props}>
    <Ellipsis size={16} aria-hidden />
  </ActionIcon>
);

function Items({ post, may }: Props) {
  const { archive, unarchive } = useArchive();
  const params = { postId: post.id };
  const isArchived = post.status === 'archived';
  return (
    <>
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
      {may.write && (
        <Menu.Item onClick={() => void (isArchived ? unarchive : archive)([post])}>
          {isArchived ? 'Unarchive' : 'Archive'}
        </Menu.Item>
      )}
    </>
  );
}
