import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../api/queries.js';
import { accountFilter, FilterRow } from '../ui/FilterRow.js';
import { NativeFilters } from '../ui/NativeFilters.js';
import classes from './Calendar.module.css';
import type { Filter, Kind } from './items.js';

const STATUSES: { value: Kind; label: string }[] = [
  { value: 'scheduled', label: 'Scheduled' },
  { value: 'in_inbox', label: 'In the inbox' },
  { value: 'posted', label: 'Posted' },
  { value: 'failed', label: 'Failed' },
];

interface Props {
  filter: Filter;
  isPhone: boolean;
  onChange: (filter: Filter) => void;
}

/** Whose posts are shown, and which. */
export function Filters({ filter, isPhone, onChange }: Props) {
  const accounts = useQuery(accountsQuery).data ?? [];
  const { account, status } = filter;
  const filters = [
    accountFilter(accounts, account, (chosen) =>
      onChange({ ...(status ? { status } : {}), ...(chosen ? { account: chosen } : {}) }),
    ),
    {
      label: 'Status',
      any: 'Any status',
      width: 128,
      data: STATUSES,
      value: status,
      choose: (chosen: string | undefined) =>
        onChange({ ...(account ? { account } : {}), ...(chosen ? { status: chosen as Kind } : {}) }),
    },
  ];
  return (
    <div className={classes.filters}>
      {isPhone ? (
        <NativeFilters filters={filters} classNames={{ input: classes.native ?? '' }} />
      ) : (
        <FilterRow filters={filters} />
      )}
      {(account || status) && (
        <Button
          variant="subtle"
          color="gray"
          px="xs"
          aria-label="Clear filters"
          className={classes.clear ?? ''}
          onClick={() => onChange({})}
        >
          Clear
        </Button>
      )}
    </div>
  );
}
