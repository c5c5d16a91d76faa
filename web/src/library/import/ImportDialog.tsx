// Drop a CSV file, see what is wrong with it, correct it, import it.

import type { Post } from '@airdate/sdk/core';
import { Anchor, Button, Loader, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef } from 'react';
import { accountsQuery } from '../../api/queries.js';
import { count } from '../../text/numbers.js';
import { zoneName } from '../../text/time.js';
import { DropZone } from '../../ui/DropZone.js';
import { Note, ProblemNote } from '../../ui/Note.js';
import { usePhone, useTouch } from '../../ui/usePhone.js';
import { missingMediaText } from '../bulk/eligibility.js';
import { scheduledWithoutMedia } from './csv.js';
import { Done } from './Done.js';
import { Footer } from './Footer.js';
import classes from './Import.module.css';
import { exampleFor, summaryOf } from './import-text.js';
import { Problems } from './Problems.js';
import { Answered, isAsked } from './Questions.js';
import { type Import, useImport } from './useImport.js';
import '../../ui/overlays.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** Shows the posts that were created. */
  onShow: (posts: Post[]) => void;
}

export function ImportDialog({ opened, onClose, onShow }: Props) {
  const work = useImport();
  const input = useRef<HTMLInputElement>(null);
  const isPhone = usePhone();
  const isRunning = work.run.isPending;
  const close = () => {
    if (isRunning) return;
    onClose();
    work.reset();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Import posts"
      size="lg"
      fullScreen={isPhone}
      radius={isPhone ? 0 : 14}
      classNames={{ content: classes.content ?? '', header: classes.header ?? '', body: classes.body ?? '' }}
    >
      {work.run.data ? (
        <Done done={work.run.data} onShow={onShow} onClose={close} />
      ) : (
        <>
          <Stack gap="md" className={classes.scroll ?? ''}>
            <FileField work={work} open={() => input.current?.click()} />
            <Findings work={work} />
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
          </Stack>
          <Actions work={work} onChoose={() => input.current?.click()} onClose={close} />
        </>
      )}
    </Modal>
  );
}

function take(work: Import, files: FileList | null) {
  const file = files?.[0];
  if (file) void work.choose(file);
}

function FileField({ work, open }: { work: Import; open: () => void }) {
  const { chosen } = work;
  const accounts = useQuery(accountsQuery).data ?? [];
  const usesTouch = useTouch();
  return (
    <>
      <DropZone
        icon={FileUp}
        size={chosen ? 'small' : 'medium'}
        label={chosen ? chosen.name : 'Choose a CSV file'}
        hint={
          chosen
            ? usesTouch
              ? 'Add another file to replace it.'
              : 'Drop another file here to replace it.'
            : `${usesTouch ? '' : 'Or drop it here. '}Up to 10,000 posts. Times are in ${zoneName()} unless the file says otherwise.`
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
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(exampleFor(accounts))}`}
            download="import-example.csv"
          >
            Download an example
          </Anchor>
        </p>
      )}
    </>
  );
}

function Findings({ work }: { work: Import }) {
  const { chosen, check, run } = work;
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
  const noMedia = missingMediaText(scheduledWithoutMedia(chosen.table, work.answers.default_status));
  return (
    <>
      {isFine ? (
        <>
          <Note tone="posted" role="status" title="Ready to import">
            {summaryOf(check.data)}
          </Note>
          {noMedia && (
            <Note tone="publishing" role="status">
              {noMedia}
            </Note>
          )}
        </>
      ) : (
        <Problems work={work} found={check.data} />
      )}
      <Answered work={work} found={check.data} />
      {run.error && <ProblemNote error={run.error} />}
    </>
  );
}

function Actions({ work, onChoose, onClose }: { work: Import; onChoose: () => void; onClose: () => void }) {
  const { chosen, check, run } = work;
  if (!chosen || check.isPending || run.isPending || check.error || !check.data) return null;
  const { problems, problem_count } = check.data;
  const isFine = problem_count === 0;
  // The answer to a question checks the file by itself.
  const canCheck = chosen.isChanged || problems.some((one) => one.column !== null && !isAsked(one));
  const isSecondary = isFine || canCheck || problems.some(isAsked);
  return (
    <Footer>
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button variant={isSecondary ? 'default' : 'filled'} onClick={onChoose}>
        Choose another file
      </Button>
      {isFine && <Button onClick={work.begin}>Import {count(check.data.lines, 'post')}</Button>}
      {!isFine && canCheck && (
        <Button disabled={!chosen.isChanged} onClick={work.checkAgain}>
          Check again
        </Button>
      )}
    </Footer>
  );
}
