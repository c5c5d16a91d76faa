import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './Page.module.css';

/** A screen: its title, its actions, and its content. */
export function Page({
  title,
  back,
  actions,
  children,
}: {
  title: string;
  /** A way to where the screen was opened from. */
  back?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Airdate`;
  }, [title]);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        {back}
        <Title order={1} className={classes.title ?? ''}>
          {title}
        </Title>
        {actions}
      </header>
      {children}
    </div>
  );
}
