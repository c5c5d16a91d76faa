import type { Pagination as Facts } from '@airdate/sdk/core';
import { Pagination } from '@mantine/core';
import classes from './Library.module.css';
import { LAST_PAGE } from './query.js';

/** Totals under search and filters are counted up to here. */
const COUNTED = 100_000;

const number = new Intl.NumberFormat('en');

export function Paging({
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
        {total_pages > 1 ? `${number.format(first)}–${number.format(last)} of ` : ''}
        {number.format(total)}
        {total >= COUNTED ? ' or more' : ''} {total === 1 ? 'post' : 'posts'}
      </p>
      {total_pages > 1 && (
        <Pagination
          value={page}
          total={Math.min(total_pages, LAST_PAGE)}
          onChange={onChange}
          siblings={1}
          size="md"
          getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
          getControlProps={(control) => ({
            'aria-label': control === 'next' ? 'Next page' : 'Previous page',
          })}
        />
      )}
    </nav>
  );
}
