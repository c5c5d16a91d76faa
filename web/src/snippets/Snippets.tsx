// Saved captions and groups of hashtags, beside the field that they are for. What is in the menu loads when it is opened.
import { Button } from '@mantine/core';
import { BookMarked } from 'lucide-react';
import { lazyOpened } from '../ui/lazy.js';
import { type Kind, TEXTS } from './kinds.js';
import classes from './Snippets.module.css';

const Popover = lazyOpened('dialog', async () => (await import('./SnippetPopover.js')).SnippetPopover);

interface Props {
  kind: Kind;
  /** What the field has now. */
  text: string;
  onInsert: (text: string) => void;
}

export const Snippets = (props: Props) => (
  <div className={classes.place}>
    <Popover
      {...props}
      button={(opening) => (
        <Button
          {...opening}
          className={classes.open ?? ''}
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<BookMarked size={13} />}
        >
          {TEXTS[props.kind].many}
        </Button>
      )}
    />
  </div>
);
