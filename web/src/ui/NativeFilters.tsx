// Not beside FilterRow: Mantine's list of the browser brings the script of its own lists with it.
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import type { Filter } from './FilterRow.js';

interface Props extends Pick<NativeSelectProps, 'size' | 'classNames'> {
  filters: Filter[];
  /** With its label above each. */
  isLabelled?: boolean;
}

/** The phone's native lists: large, and easy to reach. */
export const NativeFilters = ({ filters, isLabelled = false, ...looks }: Props) =>
  filters.map(({ label, any, data, value, choose }) => (
    <NativeSelect
      key={label}
      {...(isLabelled ? { label } : { 'aria-label': label })}
      {...looks}
      data={[{ value: '', label: any }, ...data]}
      value={value ?? ''}
      onChange={({ currentTarget }) => choose(currentTarget.value || undefined)}
    />
  ));
