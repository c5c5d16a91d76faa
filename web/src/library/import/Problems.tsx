// What is wrong with the file, each with a field to correct it in.
import { Button, Group, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountsQuery } from '../../api/queries.js';
import { count } from '../../text/numbers.js';
import { Note } from '../../ui/Note.js';
import { MissingColumn, UnknownColumn } from './ColumnFields.js';
import { type Correction, choicesFor, correctionsOf, messageFor } from './corrections.js';
import { cellAt, columnNamed } from './csv.js';
import classes from './Import.module.css';
import { columnLabel, sentenceOf } from './import-text.js';
import { isAsked, type Problem, Questions } from './Questions.js';
import type { Import } from './useImport.js';

/** More than a person corrects here; the rest comes with the next check. */
const MAX_SHOWN = 50;

type Found = NonNullable<Import['check']['data']>;

export function Problems({ work, found }: { work: Import; found: Found }) {
  // Once for each check: cells that are corrected say something else.
  const [all] = useState(() => correctionsOf(found.problems.filter(isListed), work.chosen?.table ?? []));
  const shown = all.slice(0, MAX_SHOWN);
  const asked = found.problems.filter(isAsked).length;
  const listed = all.reduce((sum, correction) => sum + correction.count, 0);
  // Only the first problems of a long file are listed.
  const total = all.length + Math.max(0, found.problem_count - asked - listed);
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
        {shown.map((correction, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list changes only as a whole
          <li key={i} className={classes.problem}>
            <ProblemRow correction={correction} work={work} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className={classes.hint}>And {count(more, 'more problem')}.</p>}
    </>
  );
}

const isListed = (problem: Problem): boolean => !isAsked(problem);

function ProblemRow({ correction, work }: { correction: Correction; work: Import }) {
  const { problem, lines } = correction;
  const { line, column } = problem;
  const { chosen } = work;
  const accounts = useQuery(accountsQuery).data ?? [];
  // By its place: its name changes while it is corrected.
  const [at] = useState(() => (chosen && column !== null ? columnNamed(chosen.table, column) : -1));
  const message = messageFor(problem);
  if (!chosen || column === null)
    return <span>{sentenceOf(message, column === null ? `Line ${line}` : `“${column}”`)}</span>;
  const { table } = chosen;
  if (line === 1 && at === -1) return <MissingColumn {...{ problem, message, work, table }} />;
  if (line === 1) return <UnknownColumn {...{ problem, message, work, table, at }} />;
  const set = (value: string) => work.correct(lines, column, value);
  const cell = {
    label: <CellName correction={correction} work={work} isInFile={at !== -1} />,
    error: problem.label ? `“${problem.label}” isn’t a label yet.` : sentenceOf(message, 'This'),
    value: cellAt(table, line, column),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value),
  };
  const choices = choicesFor(problem, accounts);
  if (choices.length === 0) return <Written cell={cell} problem={problem} onChange={set} />;
  return (
    <NativeSelect {...cell}>
      {/* What the file says, which is none of them. */}
      {!choices.some(({ value }) => value === cell.value) && (
        <option value={cell.value} disabled>
          {cell.value === '' ? CHOOSE[column] : cell.value}
        </option>
      )}
      {choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </NativeSelect>
  );
}

const CHOOSE: Readonly<Record<string, string>> = {
  account: 'Choose an account',
  social_account_id: 'Choose an account',
  privacy_level: 'Choose who can see it',
};

interface WrittenProps {
  cell: TextInputProps;
  problem: Problem;
  onChange: (value: string) => void;
}

const Written = ({ cell, problem: { column, suggestions }, onChange }: WrittenProps) => (
  <>
    <TextInput {...cell} />
    {suggestions.length > 0 && (
      <Group gap={6} role="group" aria-label={`Suggestions for ${column}`}>
        {suggestions.slice(0, MAX_SUGGESTED).map((text) => (
          <Button key={text} size="compact-sm" variant="default" onClick={() => onChange(text)}>
            {text}
          </Button>
        ))}
      </Group>
    )}
  </>
);

const MAX_SUGGESTED = 10;

function CellName({
  correction: { problem, lines },
  work: { chosen },
  isInFile,
}: {
  correction: Correction;
  work: Import;
  isInFile: boolean;
}) {
  const { line, column } = problem;
  const name = columnLabel(column ?? '', isInFile);
  if (problem.lines > 1 && lines.length > 1)
    return (
      <>
        {name}
        <span className={classes.post}> · {count(problem.lines, 'post')}</span>
      </>
    );
  if (lines.length > 1)
    return (
      <>
        {count(lines.length, 'line')}, {name}
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
