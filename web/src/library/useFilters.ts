import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../api/queries.js';
import { useLabels } from '../labels/useLabels.js';
import { LIBRARY } from '../text/search-params.js';
import { accountFilter, type Filter } from '../ui/FilterRow.js';
import { useChangeSearch, useLibrarySearch } from './query.js';

/** The filters, for the row of a wide screen and for the sheet of a phone. */
export function useFilters(manageLabels?: () => void): Filter[] {
  const { type, account, label } = useLibrarySearch();
  const change = useChangeSearch();
  const accounts = useQuery(accountsQuery).data ?? [];
  const labels = useLabels() ?? [];
  return [
    {
      label: 'Type',
      any: 'Any type',
      width: 120,
      data: [
        { value: 'slides', label: 'Slides' },
        { value: 'video', label: 'Video' },
      ],
      value: type,
      choose: (chosen) => change({ type: LIBRARY.type(chosen) }),
    },
    accountFilter(accounts, account, (chosen) => change({ account: chosen })),
    {
      label: 'Label',
      any: 'Any label',
      none: 'No labels yet',
      width: 150,
      data: labels.map(({ id, name }) => ({ value: id, label: name })),
      value: label,
      choose: (chosen) => change({ label: chosen }),
      ...(manageLabels ? { action: { label: 'Manage labels…', run: manageLabels } } : {}),
    },
  ];
}
