import { PasswordInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Ref } from 'react';
import '@mantine/core/styles/PasswordInput.layer.css';

interface PasswordFieldProps {
  ref?: Ref<HTMLInputElement>;
  label: string;
  autoComplete: 'current-password' | 'new-password';
  value: string;
  onChange: (value: string) => void;
  /** Shows the rule, and how many characters are missing. */
  isNew?: boolean;
  error?: string | undefined;
}

export function PasswordField({
  ref,
  label,
  autoComplete,
  value,
  onChange,
  isNew,
  error,
}: PasswordFieldProps) {
  const [isShown, shown] = useDisclosure(false);
  const missing = MIN_LENGTH - value.length;
  const rule =
    value !== '' && missing > 0
      ? `${MIN_LENGTH} to ${MAX_LENGTH} characters: ${missing} more`
      : `${MIN_LENGTH} to ${MAX_LENGTH} characters`;
  return (
    <PasswordInput
      {...(ref ? { ref } : {})}
      label={label}
      {...(isNew ? { description: rule } : {})}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      autoComplete={autoComplete}
      required
      withAsterisk={false}
      maxLength={MAX_LENGTH}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visible={isShown}
      onVisibilityChange={shown.toggle}
      visibilityToggleButtonProps={{ 'aria-label': isShown ? 'Hide password' : 'Show password', tabIndex: 0 }}
      error={error}
    />
  );
}

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;

export const isLongEnough = (password: string): boolean =>
  password.length >= MIN_LENGTH && password.length <= MAX_LENGTH;
