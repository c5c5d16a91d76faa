// Filters by status, type and account. On a phone the last two are in a sheet.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { postsQuery } from '../api/queries.js';
import { dialogLater } from '../ui/later.js';
import { SelectLater } from '../ui/SelectLater.js';
import classes from './Library.module.css';
import { searchOfTab, TABS, tabOf, useLibrarySearch } from './query.js';
import { useChoices } from './useChoices.js';

const FilterSheet = dialogLater(async () => (await import('./FilterSheet.js')).FilterSheet);

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
      <FilterSheet opened={isOpen} onClose={close} />
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

const InRow = () =>
  useChoices().map(({ label, any, width, data, value, choose }) => (
    <SelectLater
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
