import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { SORTS, type Sort, sortOf, tabOf, useChangeSearch, useLibrarySearch, usualSort } from './query.js';

/** The browser's own list: at hand without loading anything. */
export function SortSelect(props: NativeSelectProps) {
  const search = useLibrarySearch();
  const change = useChangeSearch();
  const choose = (sort: Sort) => change({ sort: sort === usualSort(tabOf(search)) ? undefined : sort });
  return (
    <NativeSelect
      {...props}
      data={[...SORTS]}
      value={sortOf(search)}
      onChange={({ currentTarget }) => choose(currentTarget.value as Sort)}
    />
  );
}
