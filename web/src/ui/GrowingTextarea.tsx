import { Textarea, type TextareaProps } from '@mantine/core';
import type { CSSProperties } from 'react';

interface Props extends TextareaProps {
  minRows: number;
  maxRows: number;
}

/** Then the browser does it. Measuring the text in the script instead lays out the whole page once more for each field. */
const GROWS_BY_ITSELF = CSS.supports('field-sizing', 'content');

/** A text field as high as its text. */
export function GrowingTextarea({ minRows, maxRows, ...field }: Props) {
  if (!GROWS_BY_ITSELF) return <Textarea autosize minRows={minRows} maxRows={maxRows} {...field} />;
  return <Textarea styles={{ input: heights(minRows, maxRows) }} {...field} />;
}

const heights = (minRows: number, maxRows: number): CSSProperties => ({
  fieldSizing: 'content',
  minHeight: rows(minRows),
  maxHeight: rows(maxRows),
});

/** With the padding and the border of the field. */
const rows = (count: number): string => `calc(${count}lh + 2 * var(--input-padding-y, 0px) + 2px)`;
