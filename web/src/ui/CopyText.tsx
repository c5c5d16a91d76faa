import { ActionIcon, CopyButton } from '@mantine/core';
import { Check, Copy } from 'lucide-react';

/** A small button that copies a text and says so. */
export function CopyText({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => {
        const label = copied ? 'Copied' : `Copy ${what}`;
        return (
          <ActionIcon variant="subtle" color="gray" size={32} onClick={copy} aria-label={label} title={label}>
            {copied ? <Check size={14} /> : <Copy size={14} />}
          </ActionIcon>
        );
      }}
    </CopyButton>
  );
}
