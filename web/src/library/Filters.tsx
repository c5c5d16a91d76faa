// Filters by status, type and account. On a phone the last two are in a sheet.
import { Button, Drawer, NativeSelect, Select, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { accountsQuery, postsQuery } from '../api/queries.js';
import classes from './Library.module.css';
import { searchOfTab, TABS, tabOf, useChangeSearch, useLibrarySearch } from './query.js';

export function Filters() {
  const { type, account } = useLibrarySearch();
  const [isOpen, { open, close }] = useDisclosure(false);
  const count = (type ? 1 : 0) + (account ? 1 : 0);
  return (
    <div className={classes.filters}>
      <StatusTabs />
      <div className={classes.inline}>
        <InRow />
      </div>
      <Button
        variant="default"
        className={classes.sheetButton ?? ''}
        leftSection={<SlidersHorizontal size={15} aria-hidden />}
        onClick={open}
      >
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="bottom"
        title="Filters"
        padding="md"
        classNames={{ content: classes.sheet ?? '', title: classes.sheetTitle ?? '' }}
      >
        <Stack pb="md">
          <InSheet />
          <Button size="md" onClick={close}>
            Show posts
          </Button>
        </Stack>
      </Drawer>
    </div>
  );
}

function StatusTabs() {
  const search = useLibrarySearch();
  const current = tabOf(search);
  // The same query as in the sidebar, so it costs nothing.
  const needing = useQuery(postsQuery({ needs_attention: true, per_page: 3 })).data?.pagination.total ?? 0;
  const { status: _status, attention: _attention, page: _page, focus: _focus, ...kept } = search;
  // On a phone the tabs scroll: the current one is brought into view.
  const tabs = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count makes the tabs wider
  useEffect(() => {
    const strip = tabs.current;
    const tab = strip?.querySelector<HTMLElement>('[data-current]');
    if (!strip || !tab) return;
    // Not by scrollIntoView, which may also scroll the page.
    const middle = tab.offsetLeft - strip.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
    strip.scrollTo({ left: middle });
  }, [current, needing]);
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
        >
          {label}
          {key === 'attention' && needing > 0 && <span className={classes.count}>{needing}</span>}
        </Link>
      ))}
    </nav>
  );
}

/** The two choices, for the row of a wide screen and for the sheet of a phone. */
function useChoices() {
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

const InRow = () =>
  useChoices().map(({ label, any, width, data, value, choose }) => (
    <Select
      key={label}
      aria-label={label}
      placeholder={any}
      data={data}
      value={value ?? null}
      onChange={choose}
      clearable
      clearButtonProps={{ 'aria-label': any }}
      searchable={data.length > 8}
      w={width}
    />
  ));

/** The phone's native lists: large, and easy to reach. */
const InSheet = () =>
  useChoices().map(({ label, any, data, value, choose }) => (
    <NativeSelect
      key={label}
      label={label}
      size="md"
      data={[{ value: '', label: any }, ...data]}
      value={value ?? ''}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  ));
