// Saved captions and groups of hashtags, beside the field that they are for. What is in the menu loads when it is opened.
import { Button, type ButtonProps } from '@mantine/core';
import { BookMarked } from 'lucide-react';
import { type ComponentPropsWithRef, useState } from 'react';
import { lazyComponent, notifyLoadFailed } from '../ui/lazy.js';
import { type Kind, WORDS } from './kinds.js';
import classes from './Snippets.module.css';

const Opened = lazyComponent(async () => (await import('./SnippetPopover.js')).SnippetPopover);

interface Props {
  kind: Kind;
  /** What the field has now. */
  text: string;
  onInsert: (text: string) => void;
}

export function Snippets(props: Props) {
  const [isUsed, setUsed] = useState(false);
  const fail = () => {
    setUsed(false);
    notifyLoadFailed();
  };
  const words = WORDS[props.kind].many;
  return (
    <div className={classes.place}>
      <Opened
        {...props}
        isNeeded={isUsed}
        onFailure={fail}
        button={<OpenButton autoFocus>{words}</OpenButton>}
        meanwhile={
          <OpenButton aria-haspopup="dialog" onPointerEnter={Opened.prepare} onClick={() => setUsed(true)}>
            {words}
          </OpenButton>
        }
      />
    </div>
  );
}

const OpenButton = (props: ButtonProps & Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>) => (
  <Button
    {...props}
    className={classes.open ?? ''}
    size="compact-xs"
    variant="subtle"
    color="gray"
    leftSection={<BookMarked size={13} />}
  />
);
