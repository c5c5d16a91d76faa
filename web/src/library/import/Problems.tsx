import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Note } from '../../ui/Note.js';
import { cellAt, columnNamed, headerAt } from './csv.js';
import classes from './Import.module.css';
import { sentenceOf, times } from './import-text.js';
import type { Import } from './useImport.js';

/** More than a person corrects here; the rest comes with the next check. */
const MAX_SHOWN = 50;

type Found = NonNullable<Import['check']['data']>;
type Problem = Found['problems'][number];

export function Problems({ work, found }: { work: Import; found: Found }) {
  const shown = found.problems.slice(0, MAX_SHOWN);
  const more = found.problem_count - shown.length;
  return (
    <>
      <Note tone="attention" role="alert" title={`${times(found.problem_count, 'problem')} found`}>
        Nothing was imported.{' '}
        {work.canCorrect
          ? `Correct ${found.problem_count === 1 ? 'it' : 'them'} below and check again, or choose a corrected file.`
          : 'Correct the file and choose it again.'}
      </Note>
      <ul className={classes.problems} aria-label="Problems">
        {shown.map((problem, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list changes only as a whole
          <li key={`${i} ${problem.line} ${problem.column}`} className={classes.problem}>
            <ProblemRow problem={problem} work={work} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className={classes.hint}>And {times(more, 'more problem')}.</p>}
    </>
  );
}

function ProblemRow({ problem, work }: { problem: Problem; work: Import }) {
  const { line, column, message } = problem;
  const { chosen } = work;
  // By its place: its name changes while it is corrected.
  const [at] = useState(() => (chosen && column !== null ? columnNamed(chosen.table, column) : -1));
  if (!chosen || column === null || (line === 1 && at === -1))
    return <span>{sentenceOf(message, column === null ? `Line ${line}` : `“${column}”`)}</span>;
  if (line === 1)
    return (
      <TextInput
        label={`Column “${column}”`}
        error={sentenceOf(message, 'This')}
        value={headerAt(chosen.table, at)}
        onChange={({ currentTarget }) => work.rename(at, currentTarget.value)}
      />
    );
  const title = column === 'title' ? '' : cellAt(chosen.table, line, 'title');
  return (
    <TextInput
      label={
        <>
          Line {line}, {column}
          {title !== '' && <span className={classes.post}> · {title}</span>}
        </>
      }
      error={sentenceOf(message, 'This')}
      value={cellAt(chosen.table, line, column)}
      onChange={({ currentTarget }) => work.correct(line, column, currentTarget.value)}
    />
  );
}
