import { Button, Group } from '@mantine/core';
import { messageOf } from '../api/client.js';
import { Note } from '../ui/Note.js';

/** Nothing is saved any more. The text is kept in this browser, for its writer. */
export function SignedOutNote({ problem }: { problem: unknown }) {
  const next = window.location.pathname + window.location.search;
  return (
    <Note tone="attention" role="alert">
      <Group justify="space-between" gap="sm">
        <div>{messageOf(problem)} Text that is not saved stays in this browser until you are back.</div>
        <Button
          component="a"
          href={`/sign-in?next=${encodeURIComponent(next)}`}
          variant="default"
          size="xs"
          h={32}
        >
          Sign in
        </Button>
      </Group>
    </Note>
  );
}
