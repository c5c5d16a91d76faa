// Filters by status, type, account and label, and the order. On a phone all but the status are in a sheet.
import { ActionIcon, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal, Tags } from 'lucide-react';
import { memo } from 'react';
import { useMay } from '../api/permissions.js';
import { postsQuery } from '../api/queries.js';
import { FilterRow } from '../ui/FilterRow.js';
import { lazyDialog } from '../ui/lazy.js';
import classes from './Filters.module.css';
import { queryOf, useChangeSearch, useLibrarySearch } from './query.js';
import { SortSelect } from './SortSelect.js';
import { StatusTabs } from './StatusTabs.js';
import { shortCount } from './short-count.js';
import { useFilters } from './useFilters.js';

const FilterSheet = lazyDialog(async () => (await import('./FilterSheet.js')).FilterSheet);
const ManageLabels = lazyDialog(async () => (await import('../labels/ManageLabels.js')).ManageLabels);

/** Hidden, it keeps its height: nothing moves when the first post is there. */
export const Filters = memo(function Filters({ isHidden }: { isHidden: boolean }) {
  const { type, account, label } = useLibrarySearch();
  const change = useChangeSearch();
  const filters = useFilters();
  const mayWrite = useMay('posts:write');
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isManaging, managing] = useDisclosure(false);
  const count = [type, account, label].filter(Boolean).length;
  return (
    <div className={classes.filters} data-hidden={isHidden || undefined}>
      <StatusTabs />
      <div className={classes.inline}>
        <FilterRow filters={filters} />
        {mayWrite && (
          <Button
            variant="default"
            h={32}
            px={12}
            leftSection={<Tags size={16} aria-hidden />}
            aria-label="Manage labels"
            title="Create, rename and delete labels"
            onClick={managing.open}
          >
            Labels
          </Button>
        )}
        <div className={classes.order}>
          <Found />
          <SortSelect w={166} />
        </div>
      </div>
      <ActionIcon
        variant="default"
        className={classes.sheetButton ?? ''}
        aria-label={count === 0 ? 'Filters' : `Filters (${count})`}
        onClick={open}
      >
        <SlidersHorizontal size={16} aria-hidden />
        {count > 0 && <span className={classes.active}>{count}</span>}
      </ActionIcon>
      <FilterSheet
        opened={isOpen}
        onClose={close}
        {...(mayWrite
          ? {
              onManage: () => {
                close();
                managing.open();
              },
            }
          : {})}
      />
      <ManageLabels
        opened={isManaging}
        onClose={managing.close}
        onDeleted={(id) => id === label && change({ label: undefined })}
      />
    </div>
  );
});

/** How many posts a search has found. The tabs, which count all posts, have no numbers then. */
function Found() {
  const search = useLibrarySearch();
  const { data, isPlaceholderData } = useQuery(postsQuery(queryOf(search)));
  const isSearch = Boolean(search.q?.trim() || search.label);
  if (!isSearch || !data || isPlaceholderData) return null;
  const { total } = data.pagination;
  return (
    <span className={`figures ${classes.found}`}>
      {shortCount(total)} {total === 1 ? 'match' : 'matches'}
    </span>
  );
}
