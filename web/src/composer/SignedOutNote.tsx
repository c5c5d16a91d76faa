import { Button, Group } from '@mantine/core';
import { messageOf } from '../api/client.js';
import { personOfPage } from '../api/session.js';
import { Note } from '../ui/Note.js';

/** Nothing is saved any more. The text is kept in this browser, for its writer. */
export function SignedOutNote({ problem }: { problem: unknown }) {
  const next = window.location.pathname + window.location.search;
  const person = personOfPage();
  const search = new URLSearchParams(person === undefined ? { next } : { next, as: person });
  return (
    <Note tone="attention" role="alert">
      <Group justify="space-between" gap="sm">
        <div>{messageOf(problem)} Unsaved text stays in this browser until you sign back in.</div>
        <Button component="a" href={`/sign-in?${search}`} variant="default" size="xs" h={32}>
          Sign in
        </Button>
      </Group>
    </Note>
  );
}
