import { Button, Progress, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, Upload as UploadIcon, X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { IconButton } from '../ui/IconButton.js';
import { percentOf, progressOf, timeLeft } from './progress.js';
import { type BackgroundUploads, type Finished, forgetFinished, isUnderWay } from './store.js';
import classes from './UploadTray.module.css';
import '@mantine/core/styles/Progress.layer.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { postQuery } from '../api/queries.js';
import type { Upload } from './upload.js';
import { dropUpload, retryUpload } from './uploads.js';

/** How long it says that all is done. */
const SHOWN_MS = 8_000;

export const TrayCard = (background: BackgroundUploads) => (
  <>
    <Tray {...background} />
    <div className={classes.room} />
  </>
);

function Tray({ uploads, finished }: BackgroundUploads) {
  const [chosen, setChosen] = useState<boolean>();
  const listId = useId();
  const underWay = uploads.filter(isUnderWay);
  const failed = uploads.length - underWay.length;
  const isDone = uploads.length === 0;
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(forgetFinished, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const summary = summaryOf(underWay.length, failed, finished);
  if (isDone)
    return (
      <section className={classes.tray} aria-label="Upload tray">
        <p className={classes.line}>
          <CircleCheck size={16} className={classes.done} />
          <span role="status" className={classes.words}>
            {summary}
          </span>
          {finished[0] && (
            <Link to="/posts/$postId" params={{ postId: finished[0].postId }}>
              View post
            </Link>
          )}
        </p>
      </section>
    );
  // What failed needs an answer, so it is shown unless the reader has closed it.
  const isOpen = chosen ?? failed > 0;
  const percent = percentOf(underWay);
  return (
    <section className={classes.tray} aria-label="Upload tray">
      <span role="status" className="unseen">
        {summary}
      </span>
      <UnstyledButton
        className={classes.line ?? ''}
        aria-expanded={isOpen}
        aria-controls={listId}
        onClick={() => setChosen(!isOpen)}
      >
        {failed > 0 ? <CircleAlert size={16} className={classes.failed} /> : <UploadIcon size={16} />}
        <span className={classes.words}>{summary}</span>
        {underWay.length > 0 && <span className={`${classes.percent} figures`}>{percent} %</span>}
        {isOpen ? <ChevronDown size={16} /> : <ChevronUp size={16} />}
      </UnstyledButton>
      {underWay.length > 0 && <Progress size={3} radius={0} value={percent} aria-label="All uploads" />}
      <ul id={listId} className={classes.list} hidden={!isOpen}>
        {isOpen && uploads.map((upload) => <TrayRow key={upload.id} upload={upload} />)}
      </ul>
    </section>
  );
}

const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`);

function summaryOf(underWay: number, failed: number, finished: readonly Finished[]): string {
  if (underWay > 0 && failed > 0) return `Uploading ${files(underWay)}, ${failed} failed`;
  if (underWay > 0) return `Uploading ${files(underWay)}`;
  if (failed > 0) return `${files(failed)} not uploaded`;
  return finished.length === 1 ? `Uploaded ${finished[0]?.name}` : `Uploaded ${files(finished.length)}`;
}

function TrayRow({ upload }: { upload: Upload }) {
  const client = useQueryClient();
  const { id, postId, file, state, reason } = upload;
  const post = useQuery(postQuery(postId)).data;
  const isOff = !isUnderWay(upload);
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <span className={classes.name} dir="auto">
          {file.name}
        </span>
        {isOff ? (
          <span className={classes.reason}>{reason}</span>
        ) : (
          <>
            <Progress size="sm" value={percentOf([upload])} aria-label={`Upload of ${file.name}`} />
            <span className={`${classes.soft} figures`}>
              {progressOf(upload)}
              {state === 'sending' && timeLeft(upload) !== '' && `, ${timeLeft(upload)}`}
            </span>
          </>
        )}
        <Link to="/posts/$postId/edit" params={{ postId }} className={classes.post} dir="auto">
          {post?.title ?? 'Open post'}
        </Link>
      </div>
      {state === 'failed' && (
        <Button size="compact-sm" variant="default" onClick={() => retryUpload(client, id)}>
          Try again
        </Button>
      )}
      <IconButton
        label={isOff ? `Dismiss ${file.name}` : `Cancel ${file.name}`}
        icon={X}
        size="md"
        className={classes.drop ?? ''}
        onClick={() => void dropUpload(client, id)}
      />
    </li>
  );
}
