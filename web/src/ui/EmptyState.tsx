import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

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
