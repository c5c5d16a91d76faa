import { ActionIcon, Button, Progress } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { postQuery } from '../api/queries.js';
import { percentOf, progressOf, timeLeft } from './progress.js';
import { isUnderWay } from './store.js';
import classes from './UploadTray.module.css';
import type { Upload } from './upload.js';
import { dropUpload, retryUpload } from './uploads.js';
import '@mantine/core/styles/Progress.layer.css';

export function TrayRow({ upload }: { upload: Upload }) {
  const client = useQueryClient();
  const { id, postId, file, state, reason } = upload;
  const post = useQuery(postQuery(postId)).data;
  const isOff = !isUnderWay(upload);
  return (
    <li className={classes.row}>
      <div className={classes.rowWords}>
        <span className={classes.name}>{file.name}</span>
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
        <Link to="/posts/$postId/edit" params={{ postId }} className={classes.post}>
          {post?.title ?? 'Open post'}
        </Link>
      </div>
      {state === 'failed' && (
        <Button size="compact-sm" variant="default" onClick={() => retryUpload(client, id)}>
          Try again
        </Button>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.drop ?? ''}
        aria-label={isOff ? `Dismiss ${file.name}` : `Cancel ${file.name}`}
        onClick={() => void dropUpload(client, id)}
      >
        <X size={16} aria-hidden />
      </ActionIcon>
    </li>
  );
}
