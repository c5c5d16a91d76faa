import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Import.module.css';

/** Always visible, below what scrolls. */
export const Footer = ({ children }: { children: ReactNode }) => (
  <Group gap="xs" justify="flex-end" className={classes.footer ?? ''}>
    {children}
  </Group>
);
