import { ActionIcon, Progress } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert, Film, RotateCw, X } from 'lucide-react';
import { duration } from '../ui/time.js';
import { bytes } from '../uploads/limits.js';
import { timeLeftMs } from '../uploads/pace.js';
import type { Upload } from '../uploads/upload.js';
import { dropUpload, isUnderWay, retryUpload } from '../uploads/uploads.js';
import classes from './Uploads.module.css';

/** One running upload, or the reason why it stopped. */
export function UploadRow({ upload }: { upload: Upload }) {
  const client = useQueryClient();
  const { file, state, reason, localUrl, id } = upload;
  const isOff = !isUnderWay(upload);
  const percent = Math.floor((upload.sent / Math.max(1, file.size)) * 100);
  return (
    <li className={classes.row} data-off={isOff || undefined}>
      <span className={classes.thumb}>
        {isOff ? (
          <CircleAlert size={16} aria-hidden />
        ) : file.type.startsWith('image/') ? (
          <img src={localUrl} alt="" onError={({ currentTarget }) => (currentTarget.hidden = true)} />
        ) : (
          <Film size={16} aria-hidden />
        )}
      </span>
      <span className={classes.words}>
        <span className={classes.top}>
          <span className={classes.name}>{file.name}</span>
          {state === 'sending' && <span className={`${classes.figures} figures`}>{timeLeft(upload)}</span>}
        </span>
        {isOff ? (
          <span className={classes.reason}>{reason}</span>
        ) : (
          <>
            <Progress
              size="sm"
              value={percent}
              animated={state === 'checking'}
              aria-label={`Upload of ${file.name}`}
            />
            <span className={`${classes.figures} figures`}>{progressOf(upload)}</span>
          </>
        )}
      </span>
      {state === 'failed' && (
        <ActionIcon
          variant="default"
          size={32}
          aria-label={`Retry ${file.name}`}
          onClick={() => retryUpload(client, id)}
        >
          <RotateCw size={15} aria-hidden />
        </ActionIcon>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        aria-label={isOff ? `Dismiss ${file.name}` : `Cancel ${file.name}`}
        onClick={() => void dropUpload(client, id)}
      >
        <X size={16} aria-hidden />
      </ActionIcon>
    </li>
  );
}

function progressOf({ state, sent, file, speed }: Upload): string {
  if (state === 'waiting') return `Waiting, ${bytes(file.size)}`;
  if (state === 'checking') return 'Uploaded. Checking…';
  const amount = `${bytes(sent)} of ${bytes(file.size)}`;
  return speed === null ? amount : `${amount} · ${bytes(Math.round(speed))}/s`;
}

function timeLeft({ sent, file, speed }: Upload): string {
  const left = timeLeftMs(file.size - sent, speed);
  return left === null ? '' : `${duration(left)} left`;
}
