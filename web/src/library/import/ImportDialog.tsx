// Drop a CSV file, see what is wrong with it, correct it, import it.

import { Anchor, Button, Group, Loader, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { count } from '../../text/numbers.js';
import { zoneName } from '../../text/time.js';
import { DropZone } from '../../ui/DropZone.js';
import { Note, ProblemNote } from '../../ui/Note.js';
import classes from './Import.module.css';
import { columnLabel, fetchingInfo, sentenceOf, summaryOf } from './import-text.js';
import { Answered, isAsked, type Problem, Questions } from './Questions.js';
import { type Import, useImport } from './useImport.js';
import '../../ui/overlays.css';
import { audienceOf } from '../../text/audiences.js';
import { cellAt, columnNamed, headerAt, linesLacking } from './csv.js';

export function ImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const work = useImport();
  const input = useRef<HTMLInputElement>(null);
  const isRunning = work.run.isPending;
  const close = () => {
    if (isRunning) return;
    onClose();
    work.reset();
  };
  return (
    <Modal opened={opened} onClose={close} title="Import posts" size="lg">
      <Stack gap="md">
        {work.run.data ? (
          <Done created={work.run.data.created} fetch={work.run.data.fetch} onClose={close} />
        ) : (
          <>
            <FileField work={work} open={() => input.current?.click()} />
            <Findings work={work} onChoose={() => input.current?.click()} onClose={close} />
            <input
              ref={input}
              type="file"
              hidden
              accept=".csv,text/csv"
              aria-label="CSV file"
              onChange={({ currentTarget }) => {
                take(work, currentTarget.files);
                // So that the corrected file can be chosen again.
                currentTarget.value = '';
              }}
            />
          </>
        )}
      </Stack>
    </Modal>
  );
}

function take(work: Import, files: FileList | null) {
  const file = files?.[0];
  if (file) void work.choose(file);
}

function FileField({ work, open }: { work: Import; open: () => void }) {
  const { chosen } = work;
  return (
    <>
      <DropZone
        icon={FileUp}
        size={chosen ? 'small' : 'medium'}
        label={chosen ? chosen.name : 'Choose a CSV file'}
        hint={
          chosen
            ? 'Drop another file here to replace it.'
            : `Or drop it here. Up to 10,000 posts. Times are in ${zoneName()} unless the file says otherwise.`
        }
        isDisabled={work.run.isPending}
        onOpen={open}
        onDrop={(event) => {
          event.preventDefault();
          take(work, event.dataTransfer.files);
        }}
      />
      {!chosen && (
        <p className={classes.hint}>
          The first line names the columns.{' '}
          <Anchor
            inherit
            underline="always"
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(EXAMPLE)}`}
            download="import-example.csv"
          >
            Download an example
          </Anchor>
        </p>
      )}
    </>
  );
}

function Findings({ work, onChoose, onClose }: { work: Import; onChoose: () => void; onClose: () => void }) {
  const { chosen, check, run, canCorrect } = work;
  if (!chosen) return null;
  if (check.isPending || run.isPending)
    return (
      <p role="status" className={classes.busy}>
        <Loader size={16} aria-hidden />
        {run.isPending ? `Importing ${count(check.data?.lines ?? 0, 'post')}…` : 'Checking the file…'}
      </p>
    );
  if (check.error) return <ProblemNote error={check.error} onRetry={work.checkAgain} />;
  if (!check.data) return null;
  const isFine = check.data.problem_count === 0;
  return (
    <>
      {isFine ? (
        <Note tone="posted" role="status" title="Ready to import">
          {summaryOf(check.data)}
        </Note>
      ) : (
        <Problems work={work} found={check.data} />
      )}
      <Answered work={work} found={check.data} />
      {run.error && <ProblemNote error={run.error} />}
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button variant={isFine || canCorrect ? 'default' : 'filled'} onClick={onChoose}>
          Choose another file
        </Button>
        {isFine && <Button onClick={work.begin}>Import {count(check.data.lines, 'post')}</Button>}
        {!isFine && canCorrect && (
          <Button disabled={!chosen.isChanged} onClick={work.checkAgain}>
            Check again
          </Button>
        )}
      </Group>
    </>
  );
}

interface DoneProps {
  created: number;
  fetch: { files: number; done_by: string } | undefined;
  onClose: () => void;
}

function Done({ created, fetch, onClose }: DoneProps) {
  return (
    <>
      <Note tone="posted" role="status" title={`${count(created, 'post')} imported`}>
        {fetch ? fetchingInfo(fetch, Date.now()) : 'You’ll find them in the library.'}
      </Note>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </>
  );
}

/** More than a person corrects here; the rest comes with the next check. */
const MAX_SHOWN = 50;

type Found = NonNullable<Import['check']['data']>;

function Problems({ work, found }: { work: Import; found: Found }) {
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

// The file that people begin with. The same as docs/import-example.csv; a test compares them.
const EXAMPLE = `title,post_type,caption,hashtags,media_urls,status,scheduled_at,account,privacy_level,labels
Five ways to fold a map,slides,Number four is how the rescue service does it.,#maps #outdoors,https://example.com/fold-1.jpg https://example.com/fold-2.jpg,draft,,,,
"Tents, tested",video,"Ten tents.
One storm.",#camping,https://example.com/tents.mp4,scheduled,2030-06-01 18:00,your.account,PUBLIC_TO_EVERYONE,
A note for later,,,,,,,,,
`;
