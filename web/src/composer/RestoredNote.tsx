import { Button, Group } from '@mantine/core';
import type { Draft } from './draft.js';
import classes from './Editor.module.css';

export function RestoredNote({ draft, isNew }: { draft: Draft; isNew: boolean }) {
  return (
    <div className={classes.note}>
      <span role="status">
        {isNew
          ? `This new post wasn’t saved last time, so we kept it for you.${
              draft.id === undefined ? '' : ' To start another one, choose “New post” again.'
            }`
          : 'We restored text that wasn’t saved last time.'}
      </span>
      <Group gap="xs">
        {!isNew && (
          <Button size="xs" variant="default" onClick={() => draft.decideOnRestored(false)}>
            Use saved version
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => draft.decideOnRestored(true)}>
          {isNew ? 'OK' : 'Keep it'}
        </Button>
      </Group>
    </div>
  );
}
