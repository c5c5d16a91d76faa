import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyField } from '../../ui/CopyField.js';

/** The secret, shown once. */
export const NewSecret = ({ secret, children }: { secret: string; children?: ReactNode }) => (
  <>
    <Text size="sm">
      Your app verifies with this secret that a request comes from Airdate: give it to any library for
      Standard Webhooks. You won’t see it again. {children}
    </Text>
    <CopyField label="Secret" value={secret} act="Copy secret" isFirst />
  </>
);
