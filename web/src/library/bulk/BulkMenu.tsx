import { Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { OpenMenu } from '../../ui/OpenMenu.js';
import { usePhone } from '../../ui/usePhone.js';
import classes from '../Library.module.css';
import '../../ui/overlays.css';

interface Props {
  /** Absent where none of them can be deleted. */
  onDelete?: (() => void) | undefined;
  /** What must come first in that case. */
  beforeDeleting: string;
  /** Absent where posts cannot be labelled. */
  onLabel?: (() => void) | undefined;
  /** Absent where nothing is scheduled. */
  onUnschedule?: (() => void) | undefined;
  /** Absent when everything on the page is selected. */
  onSelectAll?: (() => void) | undefined;
}

/** What has no space in the bar, or is seldom used. */
export function BulkMenu({
  onDelete,
  beforeDeleting,
  onLabel,
  onUnschedule,
  onSelectAll,
  button,
}: Props & { button: ReactElement }) {
  // As in the style sheet of the bar. A hidden item would stop the arrow keys.
  const isPhone = usePhone();
  const isNarrow = useMediaQuery('(max-width: 1199px)', false, NOW);
  return (
    <OpenMenu button={button} position="bottom-end" width={220}>
      {isNarrow && onSelectAll && <Menu.Item onClick={onSelectAll}>Select all on this page</Menu.Item>}
      {isPhone && onLabel && <Menu.Item onClick={onLabel}>Labels…</Menu.Item>}
      {onUnschedule && <Menu.Item onClick={onUnschedule}>Unschedule</Menu.Item>}
      {onDelete ? (
        <Menu.Item className={classes.danger ?? ''} onClick={onDelete}>
          Delete…
        </Menu.Item>
      ) : (
        <Menu.Label>{beforeDeleting}</Menu.Label>
      )}
    </OpenMenu>
  );
}

const NOW = { getInitialValueInEffect: false };
