import { ActionIcon, Progress } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert, Film, RotateCw, X } from 'lucide-react';
import { percentOf, progressOf, timeLeft } from '../uploads/progress.js';
import { isUnderWay } from '../uploads/store.js';
import type { Upload } from '../uploads/upload.js';
import { dropUpload, retryUpload } from '../uploads/uploads.js';
import classes from './Uploads.module.css';
import '@mantine/core/styles/Progress.layer.css';

/** One running upload, or the reason why it stopped. */
export function UploadRow({ upload }: { upload: Upload }) {
  const client = useQueryClient();
  const { file, state, reason, localUrl, id } = upload;
  const isOff = !isUnderWay(upload);
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
              value={percentOf([upload])}
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
