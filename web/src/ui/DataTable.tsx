import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './DataTable.module.css';

interface DataTableProps<Row> {
  /** The table's label for screen readers. */
  label: string;
  /** Headings from left to right. The last one is not shown when it begins with a dash: a column of buttons. */
  columns: string[];
  /** Absent while they load. */
  rows: Row[] | undefined;
  /** A `tr` of `Cell`s. */
  children: (row: Row) => ReactNode;
  /** Instead of rows when there are none. */
  none?: ReactNode;
  rowsToCome?: number;
}

/** A table that becomes a list of cards where there is no space for columns. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  children,
  none,
  rowsToCome = 3,
}: DataTableProps<Row>) {
  if (rows?.length === 0 && none) return <p className={classes.none}>{none}</p>;
  return (
    <div className={classes.frame}>
      <table className={classes.table} aria-busy={rows === undefined}>
        <caption className="unseen">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column.startsWith('-') ? <span className="unseen">{column.slice(1)}</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            ? rows.map(children)
            : Array.from({ length: rowsToCome }, (_, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
                <tr key={n}>
                  <td colSpan={columns.length}>
                    <Skeleton height={20} />
                  </td>
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  );
}

/** One field of a row; `of` names its column where the headings are gone. */
export const Cell = ({ of, children }: { of?: string; children: ReactNode }) => (
  <td data-of={of}>{children}</td>
);
