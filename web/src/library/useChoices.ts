import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../api/queries.js';
import { useLabels } from '../labels/useLabels.js';
import { useChangeSearch, useLibrarySearch } from './query.js';

/** The choices, for the row of a wide screen and for the sheet of a phone. */
export function useChoices() {
  const { type, account, label } = useLibrarySearch();
  const change = useChangeSearch();
  const accounts = useQuery(accountsQuery).data ?? [];
  const labels = useLabels() ?? [];
  return [
    {
      label: 'Type',
      any: 'Any type',
      none: '',
      width: 120,
      data: [
        { value: 'slides', label: 'Slides' },
        { value: 'video', label: 'Video' },
      ],
      value: type,
      choose: (value: string | null) => change({ type: value || undefined }),
    },
    {
      label: 'Account',
      any: 'Any account',
      none: 'No accounts connected',
      width: 168,
      data: accounts.map(({ id, username }) => ({ value: id, label: username })),
      value: account,
      choose: (value: string | null) => change({ account: value || undefined }),
    },
    {
      label: 'Label',
      any: 'Any label',
      none: 'No labels yet',
      width: 150,
      data: labels.map(({ id, name }) => ({ value: id, label: name })),
      value: label,
      choose: (value: string | null) => change({ label: value || undefined }),
    },
  ];
}
