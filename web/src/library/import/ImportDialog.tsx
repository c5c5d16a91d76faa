// Drop a CSV file, see what is wrong with it, correct it, import it.
import { Anchor, Button, Group, Loader, Modal, Stack } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { useRef } from 'react';
import { zoneName } from '../../text/time.js';
import { DropZone } from '../../ui/DropZone.js';
import { Note } from '../../ui/Note.js';
import { ProblemNote } from '../../ui/ProblemNote.js';
import { EXAMPLE } from './example.js';
import classes from './Import.module.css';
import { fetchingInfo, summaryOf, times } from './import-text.js';
import { Problems } from './Problems.js';
import { type Import, useImport } from './useImport.js';
import '../../ui/overlays.css';

interface Props {
  opened: boolean;
  onClose: () => void;
}

export function ImportDialog({ opened, onClose }: Props) {
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
          <Done count={work.run.data.created} fetch={work.run.data.fetch} onClose={close} />
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

interface FindingsProps {
  work: Import;
  onChoose: () => void;
  onClose: () => void;
}

function Findings({ work, onChoose, onClose }: FindingsProps) {
  const { chosen, check, run, canCorrect } = work;
  if (!chosen) return null;
  if (check.isPending || run.isPending)
    return (
      <p role="status" className={classes.busy}>
        <Loader size={16} aria-hidden />
        {run.isPending ? `Importing ${times(check.data?.lines ?? 0, 'post')}…` : 'Checking the file…'}
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
      {run.error && <ProblemNote error={run.error} />}
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button variant={isFine || canCorrect ? 'default' : 'filled'} onClick={onChoose}>
          Choose another file
        </Button>
        {isFine && <Button onClick={work.begin}>Import {times(check.data.lines, 'post')}</Button>}
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
  count: number;
  fetch: { files: number; done_by: string } | undefined;
  onClose: () => void;
}

function Done({ count, fetch, onClose }: DoneProps) {
  return (
    <>
      <Note tone="posted" role="status" title={`${times(count, 'post')} imported`}>
        {fetch ? fetchingInfo(fetch, Date.now()) : 'You’ll find them in the library.'}
      </Note>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </>
  );
}
