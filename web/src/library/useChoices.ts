import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../api/queries.js';
import { useChangeSearch, useLibrarySearch } from './query.js';

/** The two choices, for the row of a wide screen and for the sheet of a phone. */
export function useChoices() {
  const { type, account } = useLibrarySearch();
  const change = useChangeSearch();
  const accounts = useQuery(accountsQuery).data ?? [];
  return [
    {
      label: 'Type',
      any: 'Any type',
      width: 128,
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
      width: 168,
      data: accounts.map(({ id, username }) => ({ value: id, label: username })),
      value: account,
      choose: (value: string | null) => change({ account: value || undefined }),
    },
  ];
}
