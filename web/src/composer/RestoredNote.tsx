import { Button, Group } from '@mantine/core';
import type { Draft } from './draft.js';
import classes from './Editor.module.css';

export function RestoredNote({ draft }: { draft: Draft }) {
  return (
    <div className={classes.note}>
      <span role="status">Text that was not saved last time is back in its fields.</span>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => draft.decideOnRestored(false)}>
          Use the saved text
        </Button>
        <Button size="xs" variant="default" onClick={() => draft.decideOnRestored(true)}>
          Keep it
        </Button>
      </Group>
    </div>
  );
}
