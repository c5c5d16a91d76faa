import { titleOf } from '../text/post-title.js';
import { Dots } from '../ui/IconButton.js';
import { lazyOpened } from '../ui/lazy.js';
import type { PostActions } from './PostMenuItems.js';

const Menu = lazyOpened('menu', async () => (await import('./PostMenuItems.js')).PostMenuItems);

/** All actions on a post without opening it. A menu is heavy, so a page of posts starts with plain buttons. */
export const PostMenu = ({
  className = '',
  ...actions
}: PostActions & { className?: string | undefined }) => (
  <Menu
    {...actions}
    button={(props) => (
      <Dots {...props} className={className} label={`Actions for ${titleOf(actions.post)}`} />
    )}
  />
);
