// Filters by status, type, account and label, and the order. On a phone all but the status are in a sheet.

import type { PostCounts } from '@airdate/sdk/core';
import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import { api } from '../api/client.js';
import { postsQuery, useMay } from '../api/queries.js';
import { queryKeys } from '../api/query-keys.js';
import { count, number } from '../text/numbers.js';
import { FilterRow } from '../ui/FilterRow.js';
import { lazyDialog } from '../ui/lazy.js';
import classes from './Filters.module.css';
import {
  filtersOf,
  queryOf,
  type Search,
  searchOfTab,
  TABS,
  type Tab,
  tabOf,
  useChangeSearch,
  useLibrarySearch,
} from './query.js';
import { SortSelect } from './SortSelect.js';
import { useFilters } from './useFilters.js';

const FilterSheet = lazyDialog(async () => (await import('./FilterSheet.js')).FilterSheet);
const ManageLabels = lazyDialog(async () => (await import('../labels/ManageLabels.js')).ManageLabels);

/** Hidden, it keeps its height: nothing moves when the first post is there. */
export const Filters = memo(function Filters({ isHidden }: { isHidden: boolean }) {
  const { type, account, label } = useLibrarySearch();
  const change = useChangeSearch();
  const mayWrite = useMay('posts:write');
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isManaging, managing] = useDisclosure(false);
  const filters = useFilters(mayWrite ? managing.open : undefined);
  const count = [type, account, label].filter(Boolean).length;
  return (
    <div className={classes.filters} data-hidden={isHidden || undefined}>
      <StatusTabs />
      <div className={classes.inline}>
        <FilterRow filters={filters} />
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
        <SlidersHorizontal size={16} />
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
  return <span className={`figures ${classes.found}`}>{count(total, 'match', 'matches')}</span>;
}

/** Which posts, by their status, and how many. */
function StatusTabs() {
  const search = useLibrarySearch();
  const current = tabOf(search);
  const counts = useCounts(search);
  const { status: _status, attention: _attention, page: _page, focus: _focus, sort, ...filters } = search;
  // Each tab has an order of its own; that of titles suits all.
  const kept = { ...filters, ...(sort === 'title' ? { sort } : {}) };
  // On a phone the tabs scroll: the current one is brought into view.
  const tabs = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another tab becomes the current one
  useEffect(() => {
    // Measured with the next frame, which lays out the page anyway.
    const request = requestAnimationFrame(() => {
      const strip = tabs.current;
      const tab = strip?.querySelector<HTMLElement>('[data-current]');
      if (!strip || !tab) return;
      // Not by scrollIntoView, which may also scroll the page.
      const middle = tab.offsetLeft - strip.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
      strip.scrollTo({ left: middle });
    });
    return () => cancelAnimationFrame(request);
  }, [current]);
  return (
    <nav className={classes.tabs} aria-label="Status" ref={tabs}>
      {TABS.map(({ key, label }) => (
        <Link
          key={key}
          to="/library"
          search={{ ...kept, ...searchOfTab(key) }}
          className={classes.tab}
          data-current={key === current || undefined}
          aria-current={key === current ? 'page' : undefined}
          activeProps={{}}
          title={inFull(counts[key])}
        >
          {label}
          <Count tab={key} total={counts[key]} />
        </Link>
      ))}
    </nav>
  );
}

/** As wide without its number. The full number describes the link. */
function Count({ tab, total }: { tab: Tab; total: number | undefined }) {
  const isAlarm = tab === 'attention' && total !== undefined && total > 0;
  return (
    <span
      className={classes.count}
      data-alarm={isAlarm || undefined}
      data-wide={tab === 'attention' || undefined}
      aria-hidden
    >
      <span>{countText(tab, total)}</span>
    </span>
  );
}

/** Issues are counted beside the tabs, so the tab of those says that it counts posts. */
function countText(tab: Tab, total: number | undefined): string {
  if (total === undefined) return '';
  return tab === 'attention' && total > 0 ? count(total, 'post') : number(total);
}

const inFull = (total: number | undefined) => (total === undefined ? undefined : count(total, 'post'));

/** How many posts each tab has, with the same filters. Tabs whose number is not known are left out. */
function useCounts(search: Search): Partial<Record<Tab, number>> {
  const { post_type, social_account_id, label, q } = filtersOf(search);
  const query = { ...(post_type ? { post_type } : {}), ...(social_account_id ? { social_account_id } : {}) };
  const isPlain = !post_type && !social_account_id;
  // The counters know neither labels nor words.
  const isCounted = label === undefined && q === undefined;
  const { data } = useQuery({
    queryKey: isPlain ? queryKeys.postCounts : queryKeys.postCountsOf(query),
    queryFn: () => api.data('GET', '/api/v1/posts/counts', { query }),
    placeholderData: keepPreviousData,
    enabled: isCounted,
  });
  // By posts, as the tab lists them: the rows of causes count a post once for each cause.
  const attention = useQuery({
    ...postsQuery({ needs_attention: true, per_page: 1, ...filtersOf(search) }),
    enabled: isCounted,
  });
  // A number on one tab only would look as if the others had none.
  if (!isCounted) return {};
  const needing = attention.data?.pagination.total;
  return {
    ...(needing === undefined ? {} : { attention: needing }),
    ...(data ? numbersOf(data) : {}),
  };
}

/** The API counts drafts in the inbox as posted, and their tab does not. */
const numbersOf = (counts: PostCounts) => ({
  ...counts,
  active: counts.draft + counts.scheduled + counts.publishing + counts.posted,
  // Both are read one after the other, so a post may have left one of them in between.
  posted: Math.max(0, counts.posted - counts.in_inbox),
});
