// What a column of the file is: one that the import does not know, or the one that it misses.
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { freeColumns, namedColumns } from './columns.js';
import { headerAt, type Table } from './csv.js';
import { sentenceOf } from './import-text.js';
import type { Problem } from './Questions.js';
import type { Import } from './useImport.js';

interface Props {
  problem: Problem;
  /** What is wrong, in the words of the dashboard. */
  message: string;
  work: Import;
  table: Table;
}

/** A column without a name has no problem, so no column of this list has this value. */
const LEFT_OUT = '';

/** One of the columns that the file does not have yet, or none. */
export function UnknownColumn({ problem, message, work, table, at }: Props & { at: number }) {
  const [own] = useState(() => headerAt(table, at));
  const name = headerAt(table, at);
  const choices = freeColumns(table, at, problem.suggestions);
  return (
    <NativeSelect
      label={`Column “${own}”`}
      error={sentenceOf(message, 'This')}
      value={work.isLeftOut(at) ? LEFT_OUT : name}
      onChange={({ currentTarget: { value } }) =>
        value === LEFT_OUT ? work.leaveOut(at, own) : work.rename(at, value)
      }
    >
      {!choices.includes(name) && (
        <option value={name} disabled>
          {name}
        </option>
      )}
      <option value={LEFT_OUT}>Leave this column out</option>
      {choices.map((column) => (
        <option key={column} value={column}>
          {column}
        </option>
      ))}
    </NativeSelect>
  );
}

/** A column that the file must have: one of those that it has, under another name. */
export function MissingColumn({ problem: { column }, message, work, table }: Props) {
  const [columns] = useState(() => namedColumns(table));
  const [chosen, setChosen] = useState(-1);
  const own = columns.find(({ at }) => at === chosen)?.name ?? '';
  return (
    <NativeSelect
      label={`Column “${column}”`}
      error={sentenceOf(message, 'This')}
      value={chosen}
      onChange={({ currentTarget: { value } }) => {
        work.nameInstead(Number(value), column ?? '', chosen, own);
        setChosen(Number(value));
      }}
    >
      <option value={-1} disabled>
        Choose a column of the file
      </option>
      {columns.map(({ at, name }) => (
        <option key={at} value={at}>
          {name}
        </option>
      ))}
    </NativeSelect>
  );
}
