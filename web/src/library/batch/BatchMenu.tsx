import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { OpenMenu } from '../../ui/OpenMenu.js';
import classes from '../Library.module.css';
import type { Asked } from './BatchDialogs.js';

export interface BatchMenuProps {
  onAsk: (what: Asked) => void;
  /** Absent where nothing is scheduled. */
  onUnschedule?: (() => void) | undefined;
  /** Absent when everything on the page is selected. */
  onSelectAll?: (() => void) | undefined;
}

/** What has no space in the bar, or is seldom used. */
export const BatchMenu = ({
  onAsk,
  onUnschedule,
  onSelectAll,
  button,
}: BatchMenuProps & { button: ReactElement }) => (
  <OpenMenu button={button} position="bottom-end" width={220}>
    {onSelectAll && <Menu.Item onClick={onSelectAll}>Select all on this page</Menu.Item>}
    <Menu.Item className={classes.onPhone ?? ''} onClick={() => onAsk('labels')}>
      Labels…
    </Menu.Item>
    {onUnschedule && <Menu.Item onClick={onUnschedule}>Unschedule</Menu.Item>}
    <Menu.Item className={classes.danger ?? ''} onClick={() => onAsk('delete')}>
      Delete…
    </Menu.Item>
  </OpenMenu>
);
