import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useId } from 'react';
import { number } from '../text/numbers.js';
import classes from './Analytics.module.css';

interface ChartFrameProps {
  title: string;
  /** What the chart shows, in a sentence. */
  summary: string;
  /** The same as a table, if asked for: headings, then rows. The first field of a row names it. */
  columns: string[];
  rows: () => string[][];
  legend?: { label: string; color: string; total?: number }[];
  /** There is no data: the sentence says so. */
  isEmpty?: boolean;
  /** The drawing. Screen readers get the sentence and the table instead. */
  children: ReactNode;
}

export function ChartFrame(props: ChartFrameProps) {
  const { title, summary, columns, rows, legend = [], isEmpty = false, children } = props;
  const [isTable, table] = useDisclosure(false);
  const titleId = useId();
  return (
    <section className={classes.panel} aria-labelledby={titleId}>
      <header className={classes.panelHead}>
        <h2 className={classes.panelTitle} id={titleId}>
          {title}
        </h2>
        {!isEmpty && (
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            h={32}
            onClick={table.toggle}
            aria-label={`${isTable ? 'Show chart' : 'Show table'}: ${title}`}
          >
            {isTable ? 'Show chart' : 'Show table'}
          </Button>
        )}
      </header>
      <p className={classes.summary}>{summary}</p>
      {isEmpty ? null : isTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
        <section className={classes.scroll} tabIndex={0} aria-label={`${title}, as a table`}>
          <PlainTable columns={columns} rows={rows()} />
        </section>
      ) : (
        <div aria-hidden>
          <ul className={classes.legend}>
            {legend.map(({ label, color, total }) => (
              <li key={label}>
                <span className={classes.swatch} style={{ background: color }} /> {label}
                {total !== undefined && <span className="figures"> {number(total)}</span>}
              </li>
            ))}
          </ul>
          {children}
        </div>
      )}
    </section>
  );
}

const PlainTable = ({ columns, rows }: { columns: string[]; rows: string[][] }) => (
  <table className={classes.table}>
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([name, ...values]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {values.map((value, n) => (
            <td key={columns[n + 1]} className="figures">
              {value}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
