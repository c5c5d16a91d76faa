import { Drawer } from '@mantine/core';
import type { Cause } from './attention.js';
import { attentionTitle, Causes } from './Causes.js';
import classes from './NextUp.module.css';
import '../ui/overlays.css';

interface Props {
  causes: Cause[];
  opened: boolean;
  onClose: () => void;
}

/** Everything that needs attention, on a phone. */
export const AttentionSheet = ({ causes, opened, onClose }: Props) => (
  <Drawer
    opened={opened}
    onClose={onClose}
    position="bottom"
    title={attentionTitle(causes)}
    padding="md"
    classNames={{ content: classes.sheet ?? '', title: classes.sheetTitle ?? '' }}
  >
    <Causes causes={causes} onLeave={onClose} />
  </Drawer>
);
