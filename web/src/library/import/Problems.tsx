// What is wrong with the file, each with a field to correct it in.
import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { audienceOf } from '../../text/audiences.js';
import { count } from '../../text/numbers.js';
import { Note } from '../../ui/Note.js';
import { cellAt, columnNamed, headerAt, linesLacking } from './csv.js';
import classes from './Import.module.css';
import { columnLabel, sentenceOf } from './import-text.js';
import { isAsked, type Problem, Questions } from './Questions.js';
import type { Import } from './useImport.js';

/** More than a person corrects here; the rest comes with the next check. */
const MAX_SHOWN = 50;

type Found = NonNullable<Import['check']['data']>;

export function Problems({ work, found }: { work: Import; found: Found }) {
  const listed = found.problems.filter((problem) => !isAsked(problem));
  const shown = listed.slice(0, MAX_SHOWN);
  const total = found.problem_count - (found.problems.length - listed.length);
  const more = total - shown.length;
  const questions = <Questions work={work} problems={found.problems} />;
  if (total === 0) return questions;
  return (
    <>
      {questions}
      <Note tone="attention" role="alert" title={`${count(total, 'problem')} found`}>
        Nothing was imported.{' '}
        {work.canCorrect
          ? `Correct ${total === 1 ? 'it' : 'them'} below and check again, or choose a corrected file.`
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
      {more > 0 && <p className={classes.hint}>And {count(more, 'more problem')}.</p>}
    </>
  );
}

function ProblemRow({ problem, work }: { problem: Problem; work: Import }) {
  const { line, lines, column, suggestions } = problem;
  const { chosen } = work;
  // By its place: its name changes while it is corrected.
  const [at] = useState(() => (chosen && column !== null ? columnNamed(chosen.table, column) : -1));
  // What many lines lack is given to all of them. They are found once: then they lack it no more.
  const [corrected] = useState(() =>
    chosen && column !== null && lines > 1 ? linesLacking(chosen.table, column) : [line],
  );
  if (!chosen || column === null || (line === 1 && at === -1))
    return <span>{sentenceOf(problem.message, column === null ? `Line ${line}` : `“${column}”`)}</span>;
  const set = (value: string) =>
    line === 1 ? work.rename(at, value) : work.correct(corrected, column, value);
  const cell = {
    label:
      line === 1 ? `Column “${column}”` : <CellName problem={problem} work={work} isInFile={at !== -1} />,
    error: problem.label ? `“${problem.label}” isn’t a label yet.` : sentenceOf(problem.message, 'This'),
    value: line === 1 ? headerAt(chosen.table, at) : cellAt(chosen.table, line, column),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value),
  };
  if (column === 'privacy_level' && line > 1 && suggestions.length > 0)
    return (
      <NativeSelect {...cell}>
        {/* What the file says, which is none of them. */}
        {!suggestions.includes(cell.value) && (
          <option value={cell.value} disabled>
            {cell.value === '' ? 'Choose who can see it' : cell.value}
          </option>
        )}
        {suggestions.map((level) => (
          <option key={level} value={level}>
            {audienceOf(level)}
          </option>
        ))}
      </NativeSelect>
    );
  return (
    <>
      <TextInput {...cell} />
      {suggestions.length > 0 && (
        <Group gap={6} role="group" aria-label={`Suggestions for ${column}`}>
          {suggestions.slice(0, MAX_SUGGESTED).map((text) => (
            <Button key={text} size="compact-sm" variant="default" onClick={() => set(text)}>
              {text}
            </Button>
          ))}
        </Group>
      )}
    </>
  );
}

const MAX_SUGGESTED = 10;

function CellName({
  problem: { line, lines, column },
  work: { chosen },
  isInFile,
}: {
  problem: Problem;
  work: Import;
  isInFile: boolean;
}) {
  const name = columnLabel(column ?? '', isInFile);
  if (lines > 1)
    return (
      <>
        {name}
        <span className={classes.post}> · {count(lines, 'post')}</span>
      </>
    );
  const title = chosen && column !== 'title' ? cellAt(chosen.table, line, 'title') : '';
  return (
    <>
      Line {line}, {name}
      {title !== '' && <span className={classes.post}> · {title}</span>}
    </>
  );
}
