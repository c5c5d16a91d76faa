import type { Post } from '@airdate/sdk/core';
import { Checkbox } from '@mantine/core';
import type { MouseEvent } from 'react';
import { titleOf } from '../text/post-title.js';

interface Props {
  post: Post;
  isSelected: boolean;
  onSelect: (post: Post, isRange: boolean) => void;
  className?: string | undefined;
}

/** In ink: the signal colour is for the next action. */
export const INK = { color: 'var(--mantine-color-text)', iconColor: 'var(--mantine-color-body)' };

/** With shift, everything from the last one. */
export const SelectBox = ({ post, isSelected, onSelect, className = '' }: Props) => (
  <Checkbox
    {...INK}
    className={className}
    aria-label={`Select ${titleOf(post)}`}
    checked={isSelected}
    onChange={({ nativeEvent }) => onSelect(post, (nativeEvent as unknown as MouseEvent).shiftKey)}
  />
);
