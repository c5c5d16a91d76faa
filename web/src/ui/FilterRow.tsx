import type { Filter } from './filters.js';
import { LazySelect } from './LazySelect.js';

/** More than these are found by typing. */
const MAX_AT_A_GLANCE = 8;

/** Filters beside each other, on a wide screen. */
export const FilterRow = ({ filters }: { filters: Filter[] }) =>
  filters.map(({ label, any, none = '', width, data, value, choose }) => (
    <LazySelect
      key={label}
      aria-label={label}
      placeholder={any}
      data={data}
      value={value ?? null}
      onChange={(chosen) => choose(chosen ?? undefined)}
      clearable
      clearButtonProps={{ 'aria-label': any }}
      searchable={data.length > MAX_AT_A_GLANCE}
      nothingFoundMessage={none}
      w={width}
    />
  ));
