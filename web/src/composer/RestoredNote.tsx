import { Button, Group } from '@mantine/core';
import type { Draft } from './draft.js';
import classes from './Editor.module.css';

export function RestoredNote({ draft, isNew }: { draft: Draft; isNew: boolean }) {
  return (
    <div className={classes.note}>
      <span role="status">
        {isNew
          ? `This is a new post of yours that was not saved last time.${
              draft.id === undefined ? '' : ' For another one, choose “New post” again.'
            }`
          : 'Text that was not saved last time is back in its fields.'}
      </span>
      <Group gap="xs">
        {!isNew && (
          <Button size="xs" variant="default" onClick={() => draft.decideOnRestored(false)}>
            Use the saved text
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => draft.decideOnRestored(true)}>
          {isNew ? 'All right' : 'Keep it'}
        </Button>
      </Group>
    </div>
  );
}
