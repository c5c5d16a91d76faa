// All posts of the organization: filtered by status, type, account, label and search, shown as covers or as a table.

import type { Pagination as Facts } from '@airdate/sdk/core';
import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useDeferredValue, useEffect, useRef, useState } from 'react';
import { type ShownAccount, useKnownAccounts } from '../accounts/useKnownAccounts.js';
import { countsQuery, postsQuery } from '../api/queries.js';
import { useLabelsOf } from '../labels/useLabels.js';
import { PublishDialog } from '../publish/LazyPublishDialog.js';
import { number } from '../text/numbers.js';
import { lazyComponent } from '../ui/lazy.js';
import { useLibraryView } from '../ui/library-view.js';
import { ProblemNote } from '../ui/Note.js';
import { Page } from '../ui/Page.js';
import { Pages } from '../ui/Pages.js';
import { useFocusAfterDialog } from '../ui/useFocusAfterDialog.js';
import { BulkBar } from './bulk/BulkBar.js';
import { BulkDialogs } from './bulk/BulkDialogs.js';
import { useBulkActions } from './bulk/useBulkActions.js';
import { useBulkDialog } from './bulk/useBulkDialog.js';
import { Filters } from './Filters.js';
import { FirstStepsCard } from './FirstSteps.js';
import { Grid, GridSkeleton } from './Grid.js';
import { Header } from './Header.js';
import classes from './Library.module.css';
import {
  isFiltered,
  LAST_PAGE,
  queryOf,
  type Search,
  tabOf,
  useChangeSearch,
  useLibrarySearch,
} from './query.js';
import { useLibraryKeys } from './useLibraryKeys.js';
import { useRights } from './useRights.js';
import { useSelection } from './useSelection.js';
import { useSelectionOfList } from './useSelectionOfList.js';

const Empty = lazyComponent(async () => (await import('./Empty.js')).Empty);
const PostTable = lazyComponent(async () => (await import('./PostTable.js')).PostTable);

const NONE: never[] = [];
const NO_ACCOUNTS: ReadonlyMap<string, ShownAccount> = new Map();

export function Library() {
  const search = useLibrarySearch();
  const client = useQueryClient();
  const change = useChangeSearch();
  const list = useRef<HTMLElement>(null);
  const query = queryOf(search);
  const found = useQuery(postsQuery(query));
  // Drawing fifty posts takes longer than a frame or two: it is deferred, and yields to typing and scrolling. What else the
  // posts are drawn with is deferred too: it arrives later, and would draw them all again immediately.
  const shown = useDeferredValue(found.data, undefined);
  const accounts = useDeferredValue(useKnownAccounts() ?? NO_ACCOUNTS);
  const isBusy = found.isPending || found.isPlaceholderData || shown !== found.data;
  const posts = shown?.data ?? NONE;
  const may = useRights();
  const selection = useSelection(posts);
  const sheet = useSheet(list);
  useLibraryKeys(list, posts, selection, sheet.open);
  const bulk = useBulkActions(selection);
  const dialog = useBulkDialog(selection, list);

  const showPosts = useSelectionOfList(selection, query);

  // Archiving all posts of the last page leaves it empty.
  const lastPage = found.data?.pagination.total_pages ?? 1;
  const isBeyond = !found.isPlaceholderData && (search.page ?? 1) > Math.max(1, lastPage);
  useEffect(() => {
    if (isBeyond) change({ page: lastPage > 1 ? lastPage : undefined });
  }, [isBeyond, lastPage, change]);

  const goTo = (page: number) => {
    change({ page: page === 1 ? undefined : page }, true);
    window.scrollTo({ top: 0 });
  };
  const isBlank = useIsBlank(search);
  const [view] = useLibraryView();
  const isTable = useDeferredValue(view) === 'table';
  const labels = useDeferredValue(useLabelsOf(posts));
  const all = { posts, accounts, labels, selection, may };
  return (
    <Page
      title="Library"
      actions={
        selection.posts.length > 0 ? (
          <BulkBar
            selection={selection}
            shown={posts}
            tab={tabOf(search)}
            may={may}
            bulk={bulk}
            onOpenDialog={dialog.open}
          />
        ) : (
          <Header onShow={showPosts} />
        )
      }
    >
      <Filters isHidden={isBlank} />
      {posts.length > 0 && <FirstStepsCard />}
      {found.error && <ProblemNote query={found} />}
      <section
        ref={list}
        tabIndex={-1}
        className={classes.list}
        aria-label="Results"
        aria-busy={isBusy}
        data-stale={found.isPlaceholderData || undefined}
      >
        {!shown && !found.error && (isTable ? <TableSkeleton /> : <GridSkeleton />)}
        {posts.length > 0 &&
          (isTable ? <PostTable {...all} isNeeded meanwhile={<TableSkeleton />} /> : <Grid {...all} />)}
        {shown && posts.length === 0 && !isBusy && !isBeyond && <Empty isNeeded />}
      </section>
      {shown && (
        <Paging
          facts={shown.pagination}
          onChange={goTo}
          onSoon={(page) => void client.prefetchQuery(postsQuery({ ...query, page }))}
        />
      )}
      <BulkDialogs {...dialog.shown} onClose={dialog.close} bulk={bulk} />
      {sheet.postId && <PublishDialog postId={sheet.postId} opened={sheet.isOpen} onClose={sheet.close} />}
    </Page>
  );
}

/** The publish sheet, opened by its key. It leads back to the post, also when the list has been drawn anew. */
function useSheet(list: RefObject<HTMLElement | null>) {
  const [postId, setPostId] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  useFocusAfterDialog(isOpen, () =>
    list.current?.querySelector<HTMLElement>(`[data-post="${postId}"] [data-open]`),
  );
  const open = (id: string) => {
    setPostId(id);
    setOpen(true);
  };
  return { postId, isOpen, open, close: () => setOpen(false) };
}

const TEN = Array.from({ length: 10 }, (_, i) => i);

const TableSkeleton = () => (
  <div aria-hidden>
    {TEN.map((i) => (
      <Skeleton key={i} height={44} mb={9} radius={6} />
    ))}
  </div>
);

/** Totals under search and filters are counted up to here. */
const COUNTED = 100_000;

function Paging({
  facts,
  onChange,
  onSoon,
}: {
  facts: Facts;
  onChange: (page: number) => void;
  /** The user is about to change the page. */
  onSoon: (page: number) => void;
}) {
  const { page, per_page, total, total_pages } = facts;
  if (total === 0) return null;
  const first = (page - 1) * per_page + 1;
  const last = Math.min(page * per_page, total);
  const ahead = () => page < total_pages && onSoon(page + 1);
  return (
    <nav className={classes.paging} aria-label="Pages" onMouseEnter={ahead} onFocus={ahead}>
      <p className={`figures ${classes.total}`}>
        {total_pages > 1 ? `${number(first)}–${number(last)} of ` : ''}
        {number(total)}
        {total >= COUNTED ? ' or more' : ''} {total === 1 ? 'post' : 'posts'}
      </p>
      {total_pages > 1 && <Pages value={page} total={Math.min(total_pages, LAST_PAGE)} onChange={onChange} />}
    </nav>
  );
}

/** The organization has no post at all, so there is nothing to choose from. False until that is known. */
function useIsBlank(search: Search): boolean {
  const { data } = useQuery(countsQuery);
  if (!data || isFiltered(search) || tabOf(search) !== 'active') return false;
  return Object.values(data).every((count) => count === 0);
}
