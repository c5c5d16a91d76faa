import { Input, type MantineSize } from '@mantine/core';
import { ChevronsUpDown } from 'lucide-react';
import { useId } from 'react';
import { SORTS, type Sort, sortOf, tabOf, useChangeSearch, useLibrarySearch, usualSort } from './query.js';

interface Props {
  /** Whether the label is shown above it. */
  isLabelled?: boolean;
  size?: MantineSize;
  w?: number;
  className?: string | undefined;
}

/** The browser's own list: at hand without loading anything. Mantine's brings the styles and scripts of all lists. */
export function SortSelect({ isLabelled = false, size = 'sm', className = '', ...props }: Props) {
  const id = useId();
  const search = useLibrarySearch();
  const change = useChangeSearch();
  const choose = (sort: Sort) => change({ sort: sort === usualSort(tabOf(search)) ? undefined : sort });
  const select = (
    <Input
      {...props}
      component="select"
      id={id}
      size={size}
      pointer
      className={className}
      {...(isLabelled ? {} : { 'aria-label': 'Sort' })}
      rightSection={<ChevronsUpDown size={14} />}
      rightSectionPointerEvents="none"
      value={sortOf(search)}
      onChange={({ currentTarget }) => choose(currentTarget.value as Sort)}
    >
      {SORTS.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Input>
  );
  if (!isLabelled) return select;
  return (
    <Input.Wrapper id={id} label="Sort" size={size}>
      {select}
    </Input.Wrapper>
  );
}
