import { Button, Textarea } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import { useRef } from 'react';
import classes from './CopyField.module.css';

interface CopyFieldProps {
  label: string;
  value: string;
  /** The button's label for screen readers: "Copy key". */
  act: string;
  /** Takes the focus when it replaces a form. */
  isFirst?: boolean;
}

/** Text to copy: selected on focus, copied with one press. */
export function CopyField({ label, value, act, isFirst = false }: CopyFieldProps) {
  const clipboard = useClipboard({ timeout: 2_000 });
  const field = useRef<HTMLTextAreaElement>(null);
  const copy = () => {
    // Where the browser gives no clipboard (no TLS), the text is at least selected.
    field.current?.select();
    clipboard.copy(value);
  };
  return (
    <div className={classes.row}>
      <Textarea
        ref={field}
        className={classes.field ?? ''}
        classNames={{ input: classes.text ?? '' }}
        label={label}
        value={value}
        readOnly
        autosize
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant="default"
        leftSection={clipboard.copied ? <Check size={14} /> : <Copy size={14} />}
        onClick={copy}
        aria-label={act}
        autoFocus={isFirst}
      >
        {clipboard.copied ? 'Copied' : 'Copy'}
      </Button>
      <span className="unseen" role="status">
        {clipboard.copied ? 'Copied' : ''}
      </span>
      {clipboard.error && (
        <p className={classes.note}>Your browser blocked copying. The text is selected: press Ctrl+C.</p>
      )}
    </div>
  );
}
