// All posts of the organization: filtered by status, type, account, label and search, shown as covers or as a table.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useDeferredValue, useEffect, useRef, useState } from 'react';
import { type ShownAccount, useKnownAccounts } from '../accounts/useKnownAccounts.js';
import { postsQuery } from '../api/queries.js';
import { useLabelsOf } from '../labels/useLabels.js';
import { PublishDialog } from '../publish/LazyPublishDialog.js';
import { lazyComponent } from '../ui/lazy.js';
import { useLibraryView } from '../ui/library-view.js';
import { Page } from '../ui/Page.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { useFocusAfterDialog } from '../ui/useFocusAfterDialog.js';
import { BatchBar } from './bulk/BatchBar.js';
import { BatchDialogs } from './bulk/BatchDialogs.js';
import { useBatch } from './bulk/useBatch.js';
import { useBatchDialog } from './bulk/useBatchDialog.js';
import { Filters } from './Filters.js';
import { FirstStepsCard } from './FirstSteps.js';
import { Grid, GridSkeleton } from './Grid.js';
import { Header } from './Header.js';
import classes from './Library.module.css';
import { Paging } from './Paging.js';
import { queryOf, tabOf, useChangeSearch, useLibrarySearch } from './query.js';
import { TableSkeleton } from './TableSkeleton.js';
import { useIsBlank } from './useIsBlank.js';
import { useLibraryKeys } from './useLibraryKeys.js';
import { useRights } from './useRights.js';
import { useSelection } from './useSelection.js';

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
  // posts are drawn with is deferred too: it arrives later, and would draw them all again at once.
  const shown = useDeferredValue(found.data, undefined);
  const accounts = useDeferredValue(useKnownAccounts() ?? NO_ACCOUNTS);
  const isBusy = found.isPending || found.isPlaceholderData || shown !== found.data;
  const posts = shown?.data ?? NONE;
  const may = useRights();
  const selection = useSelection(posts);
  const sheet = useSheet(list);
  useLibraryKeys(list, posts, selection, sheet.open);
  const batch = useBatch(selection);
  const [asked, ask] = useBatchDialog(selection, list);

  // Another list clears the selection; another page of it does not.
  const which = JSON.stringify({ ...query, page: 0, per_page: 0 });
  const { clear } = selection;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the list becomes another one
  useEffect(clear, [which]);

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
          <BatchBar
            selection={selection}
            shown={posts}
            tab={tabOf(search)}
            may={may}
            batch={batch}
            onAsk={ask}
          />
        ) : (
          <Header />
        )
      }
    >
      <Filters isHidden={isBlank} />
      {posts.length > 0 && <FirstStepsCard />}
      {found.error && <ProblemNote error={found.error} onRetry={() => void found.refetch()} />}
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
      <BatchDialogs {...asked} onClose={() => ask(null)} batch={batch} />
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
