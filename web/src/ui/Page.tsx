import { Stack, Text, Title } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { goBack, wayBack } from './back-target.js';
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
        <Title order={1} className={classes.title ?? ''} dir="auto">
          {title}
        </Title>
        {actions}
      </header>
      {children}
    </div>
  );
}

/** Back to the list or calendar that the page was opened from. */
export function BackLink() {
  const router = useRouter();
  const [{ href, name }] = useState(wayBack);
  return (
    <a
      href={href}
      className={classes.back}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        goBack(router);
      }}
    >
      <ArrowLeft size={16} />
      <span className="unseen">Back to </span>
      <span className={classes.place}>{name}</span>
    </a>
  );
}

/** An empty list: why, and the one thing to do about it. */
export function EmptyState({
  title,
  children,
  action,
  isScreen = false,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** Nothing else is on the screen: the title is that of the page. */
  isScreen?: boolean;
}) {
  return (
    <Stack align="center" gap="sm" py={64} px="md" ta="center">
      <Title order={isScreen ? 1 : 2} size="h2">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" maw={460} component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
