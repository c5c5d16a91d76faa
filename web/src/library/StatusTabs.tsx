import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import classes from './Filters.module.css';
import { searchOfTab, TABS, type Tab, tabOf, useLibrarySearch } from './query.js';
import { shortCount } from './short-count.js';
import { useCounts } from './useCounts.js';

const number = new Intl.NumberFormat('en');

/** Which posts, by their status, and how many. */
export function StatusTabs() {
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
          <Count tab={key} count={counts[key]} />
        </Link>
      ))}
    </nav>
  );
}

/** As wide without its number. The full number describes the link. */
function Count({ tab, count }: { tab: Tab; count: number | undefined }) {
  const isAlarm = tab === 'attention' && count !== undefined && count > 0;
  const isCalm = tab === 'attention' && count === 0;
  return (
    <span className={classes.count} data-alarm={isAlarm || undefined} aria-hidden>
      <span>{count === undefined || isCalm ? '' : shortCount(count)}</span>
    </span>
  );
}

const inFull = (count: number | undefined) =>
  count === undefined ? undefined : `${number.format(count)} ${count === 1 ? 'post' : 'posts'}`;
