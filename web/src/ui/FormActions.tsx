import { Button, Group } from '@mantine/core';
import { ProblemNote } from './Note.js';

/** The end of a form in a dialog: why it was refused, the way out, and what it does. */
export const FormActions = ({
  act,
  error = null,
  isPending,
  disabled = false,
  className = '',
  onCancel,
}: {
  act: string;
  error?: unknown;
  isPending: boolean;
  disabled?: boolean;
  className?: string | undefined;
  onCancel: () => void;
}) => (
  <>
    {error !== null && <ProblemNote error={error} />}
    <Group justify="flex-end" gap="xs" className={className}>
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" loading={isPending} disabled={disabled}>
        {act}
      </Button>
    </Group>
  </>
);
