import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Counter } from './sent-text.js';

const COLOURS = { warning: 'var(--publishing-ink)', error: 'var(--mantine-color-error)' } as const;

interface Props {
  counter: Counter;
  /** The field says itself what is wrong. */
  isQuiet: boolean;
  children?: ReactNode;
}

/** How long a text is, of how much, and what becomes of it. */
export function CountLine({ counter: { count, note, tone }, isQuiet, children }: Props) {
  return (
    <>
      <Text span inherit className="figures" {...(tone ? { c: COLOURS[tone], fw: 600 } : {})}>
        {count && `${count.now.toLocaleString('en')} of ${count.most.toLocaleString('en')} ${count.what}`}
        {count && note && !isQuiet && '. '}
        {!isQuiet && note}
      </Text>
      {children}
    </>
  );
}
