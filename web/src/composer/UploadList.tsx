// Uploads that are not part of the post yet: running, failed, refused, or started elsewhere.

import { Progress } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert, Film, ImageUp, RotateCw, X } from 'lucide-react';
import { refreshPosts } from '../api/queries.js';
import { typographic } from '../text/api-text.js';
import { showFailure } from '../ui/action-notice.js';
import { IconButton } from '../ui/IconButton.js';
import { removeAsset } from '../uploads/arrange.js';
import { percentOf, progressOf, timeLeft } from '../uploads/progress.js';
import { isResumable } from '../uploads/resumable-uploads.js';
import { isUnderWay } from '../uploads/store.js';
import type { Upload } from '../uploads/upload.js';
import { dropUpload, retryUpload } from '../uploads/uploads.js';
import classes from './Uploads.module.css';
import type { Media } from './usePostMedia.js';
import '@mantine/core/styles/Progress.layer.css';

interface Props {
  postId: string | undefined;
  media: Media;
  /** Chooses a file that takes the place of this one. */
  onReplace: (objectKey: string) => void;
}

export function UploadList({ postId, media, onReplace }: Props) {
  const { uploads, rejected, strays, converted, isConverting } = media;
  const underWay = uploads.filter(isUnderWay).length;
  const off = uploads.length - underWay + rejected.length;
  const isQuiet = uploads.length + rejected.length + strays.length === 0;
  return (
    <>
      <p className="unseen" role="status">
        {underWay > 0 && `Uploading ${underWay} ${underWay === 1 ? 'file' : 'files'}. `}
        {off > 0 && `${off} ${off === 1 ? 'file wasn’t' : 'files weren’t'} uploaded.`}
      </p>
      {/* It is there before it says something, or screen readers would miss the first words. */}
      <p className={classes.converted} role="status">
        {isConverting && 'Converting to JPEG…'}
        {converted.length === 1 && `Converted ${converted[0]} to JPEG.`}
        {converted.length > 1 && `Converted ${converted.length} pictures to JPEG.`}
      </p>
      {!isQuiet && (
        <ul className={classes.list} aria-label="Uploads">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
          {postId !== undefined &&
            rejected.map(({ object_key, filename, reason, origin }) => (
              <Leftover
                key={object_key}
                postId={postId}
                objectKey={object_key}
                name={filename}
                reason={typographic(origin === 'address' ? `${reason} ${NOT_WITHOUT}` : reason)}
                isOfPost={origin === 'address'}
                {...(origin === 'address' ? { onReplace: () => onReplace(object_key) } : {})}
              />
            ))}
          {postId !== undefined &&
            strays.map(({ object_key, filename, upload_id, origin }) => (
              <Leftover
                key={object_key}
                postId={postId}
                objectKey={object_key}
                name={filename}
                reason={origin === 'address' ? BEING_FETCHED : strayReason(upload_id)}
                isOfPost={origin === 'address'}
              />
            ))}
        </ul>
      )}
    </>
  );
}

const BEING_FETCHED =
  'This file is being fetched from the web. It appears here when it has arrived, and the post waits for it.';
const NOT_WITHOUT = 'The post isn’t published until you remove or replace this file.';

/** An upload in parts of this browser goes on with the same file; any other starts over. */
const strayReason = (uploadId: string | null): string =>
  uploadId !== null && isResumable(uploadId)
    ? 'This upload was interrupted. Add the same file again to continue where it stopped, or dismiss it.'
    : 'This upload started in another tab or before a reload, and hasn’t finished. Add the file again, or dismiss it.';

interface LeftoverProps {
  postId: string;
  objectKey: string;
  name: string;
  reason: string;
  /** The post does not go out without it, so it is removed rather than dismissed. */
  isOfPost: boolean;
  onReplace?: () => void;
}

function Leftover({ postId, objectKey, name, reason, isOfPost, onReplace }: LeftoverProps) {
  const client = useQueryClient();
  const dismiss = async () => {
    try {
      await removeAsset(postId, objectKey);
    } catch (error) {
      showFailure(undefined, error);
    }
    await refreshPosts(client);
  };
  return (
    <li className={classes.row} data-off>
      <span className={classes.thumb}>
        <CircleAlert size={16} />
      </span>
      <span className={classes.words}>
        <span className={classes.name} dir="auto">
          {name}
        </span>
        <span className={classes.reason}>{reason}</span>
      </span>
      {onReplace && (
        <IconButton
          label={`Replace ${name}`}
          icon={ImageUp}
          iconSize={15}
          variant="default"
          onClick={onReplace}
        />
      )}
      <IconButton
        label={`${isOfPost ? 'Remove' : 'Dismiss'} ${name}`}
        icon={X}
        onClick={() => void dismiss()}
      />
    </li>
  );
}

/** One running upload, or the reason why it stopped. */
function UploadRow({ upload }: { upload: Upload }) {
  const client = useQueryClient();
  const { file, state, reason, localUrl, id } = upload;
  const isOff = !isUnderWay(upload);
  return (
    <li className={classes.row} data-off={isOff || undefined}>
      <span className={classes.thumb}>
        {isOff ? (
          <CircleAlert size={16} />
        ) : file.type.startsWith('image/') ? (
          <img src={localUrl} alt="" onError={({ currentTarget }) => (currentTarget.hidden = true)} />
        ) : (
          <Film size={16} />
        )}
      </span>
      <span className={classes.words}>
        <span className={classes.top}>
          <span className={classes.name} dir="auto">
            {file.name}
          </span>
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
        <IconButton
          label={`Retry ${file.name}`}
          icon={RotateCw}
          iconSize={15}
          variant="default"
          onClick={() => retryUpload(client, id)}
        />
      )}
      <IconButton
        label={isOff ? `Dismiss ${file.name}` : `Cancel ${file.name}`}
        icon={X}
        onClick={() => void dropUpload(client, id)}
      />
    </li>
  );
}
