import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';

/** A small button that copies a text and says so. */
export function CopyText({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            onClick={copy}
            aria-label={copied ? 'Copied' : `Copy ${what}`}
          >
            {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
