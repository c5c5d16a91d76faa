import { TextInput } from '@mantine/core';
import { Note } from '../../ui/Note.js';
import { cellAt } from './csv.js';
import classes from './Import.module.css';
import type { Import } from './useImport.js';
import { times } from './words.js';

/** More than a person corrects here; the rest comes with the next check. */
const MOST_SHOWN = 50;

type Found = NonNullable<Import['check']['data']>;
type Problem = Found['problems'][number];

export function Problems({ work, found }: { work: Import; found: Found }) {
  const shown = found.problems.slice(0, MOST_SHOWN);
  const more = found.problem_count - shown.length;
  return (
    <>
      <Note tone="attention" role="alert" title={`${times(found.problem_count, 'problem')} found`}>
        Nothing was imported.{' '}
        {shown.some(hasCell)
          ? 'Correct the cells below and check again, or correct the file and choose it again.'
          : 'Correct the file and choose it again.'}
      </Note>
      <ul className={classes.problems} aria-label="Problems">
        {shown.map((problem, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list changes only as a whole
          <ProblemRow key={i} problem={problem} work={work} />
        ))}
      </ul>
      {more > 0 && <p className={classes.hint}>And {times(more, 'more problem')}.</p>}
    </>
  );
}

/** The API completes the name of the cell: "must be one of slides, video". */
const sentenceOf = (message: string) =>
  /^[a-z]/.test(message) ? `This ${message}${/[.!?]$/.test(message) ? '' : '.'}` : message;

/** The first line names the columns. */
const hasCell = ({ line, column }: Pick<Problem, 'line' | 'column'>) => column !== null && line > 1;

function ProblemRow({ problem: { line, column, message }, work }: { problem: Problem; work: Import }) {
  const { chosen } = work;
  const where = column === null ? `Line ${line}` : `Line ${line}, ${column}`;
  if (column === null || !hasCell({ line, column }) || !chosen)
    return (
      <li className={classes.problem}>
        <span className={classes.where}>{where}</span>
        <span>{message}</span>
      </li>
    );
  return (
    <li className={classes.problem}>
      <TextInput
        label={where}
        error={sentenceOf(message)}
        value={cellAt(chosen.table, line, column)}
        onChange={({ currentTarget }) => work.correct(line, column, currentTarget.value)}
      />
    </li>
  );
}
