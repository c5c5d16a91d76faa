// The boxes that select posts. They are the browser's own: a page has a hundred of them, and each of Mantine's is drawn twice.
import type { Post } from '@airdate/sdk/core';
import type { MouseEvent } from 'react';
import { titleOf } from '../text/post-title.js';
import classes from './SelectBox.module.css';

interface Props {
  post: Post;
  isSelected: boolean;
  onSelect: (post: Post, isRange: boolean) => void;
  className?: string | undefined;
}

/** With shift, everything from the last one. */
export const SelectBox = ({ post, isSelected, onSelect, className = '' }: Props) => (
  <div className={className}>
    <input
      type="checkbox"
      className={classes.box}
      aria-label={`Select ${titleOf(post)}`}
      checked={isSelected}
      onChange={({ nativeEvent }) => onSelect(post, (nativeEvent as unknown as MouseEvent).shiftKey)}
    />
  </div>
);

interface AllProps {
  isAll: boolean;
  isSome: boolean;
  onChange: () => void;
}

export const SelectAllBox = ({ isAll, isSome, onChange }: AllProps) => (
  <input
    ref={(box) => {
      if (box) box.indeterminate = isSome && !isAll;
    }}
    type="checkbox"
    className={classes.box}
    aria-label="Select all on this page"
    checked={isAll}
    onChange={onChange}
  />
);
