import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../api/queries.js';
import { SelectLater } from '../ui/SelectLater.js';
import classes from './Calendar.module.css';
import type { Filter, Kind } from './items.js';

const STATUSES: { value: Kind; label: string }[] = [
  { value: 'scheduled', label: 'Scheduled' },
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
  const choices = [
    {
      label: 'Account',
      any: 'All accounts',
      width: 136,
      data: accounts.map(({ id, username }) => ({ value: id, label: username })),
      value: account,
      choose: (value: string | null) =>
        onChange({ ...(status ? { status } : {}), ...(value ? { account: value } : {}) }),
    },
    {
      label: 'Status',
      any: 'Any status',
      width: 116,
      data: STATUSES,
      value: status,
      choose: (value: string | null) =>
        onChange({ ...(account ? { account } : {}), ...(value ? { status: value as Kind } : {}) }),
    },
  ];
  return (
    <div className={classes.filters}>
      {choices.map(({ label, any, width, data, value, choose }) =>
        isPhone ? (
          <NativeSelect
            key={label}
            aria-label={label}
            classNames={{ input: classes.native ?? '' }}
            data={[{ value: '', label: any }, ...data]}
            value={value ?? ''}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
        ) : (
          <SelectLater
            key={label}
            aria-label={label}
            placeholder={any}
            data={data}
            value={value ?? null}
            onChange={choose}
            searchable={data.length > 8}
            w={width}
          />
        ),
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
