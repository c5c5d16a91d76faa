import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import { type ComponentPropsWithRef, useState } from 'react';
import { titleOf } from '../text/post-title.js';
import { lazyComponent, notifyLoadFailed } from '../ui/lazy.js';
import type { PostActions } from './PostMenuItems.js';

const Opened = lazyComponent(async () => (await import('./PostMenuItems.js')).PostMenuItems);

/** All actions on a post without opening it. A menu is heavy, so a page of posts starts with plain buttons. */
export function PostMenu({ className = '', ...actions }: PostActions & { className?: string | undefined }) {
  const [isUsed, setUsed] = useState(false);
  const props = { className, 'aria-label': `Actions for ${titleOf(actions.post)}` };
  const fail = () => {
    setUsed(false);
    notifyLoadFailed();
  };
  return (
    <Opened
      {...actions}
      button={<Dots {...props} autoFocus />}
      isNeeded={isUsed}
      onFailure={fail}
      meanwhile={
        <Dots {...props} aria-haspopup="menu" onPointerEnter={Opened.prepare} onClick={() => setUsed(true)} />
      }
    />
  );
}

type DotsProps = ActionIconProps & Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps>;

const Dots = (props: DotsProps) => (
  <ActionIcon variant="default" size={32} {...props}>
    <Ellipsis size={16} />
  </ActionIcon>
);
