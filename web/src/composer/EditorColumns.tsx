import { Skeleton } from '@mantine/core';
import { useCallback, useState } from 'react';
import { usePhone } from '../ui/usePhone.js';
import { DeferredRender } from '../ui/useSlices.js';
import { isUnderWay } from '../uploads/store.js';
import { type Draft, useDraft } from './draft.js';
import classes from './Editor.module.css';
import { addMediaLabel } from './FilePicker.js';
import { MediaPanel } from './MediaPanel.js';
import { PhonePreview } from './PhonePreview.js';
import { previewFiles } from './preview-files.js';
import { Readiness } from './Readiness.js';
import { sentText } from './sent-text.js';
import { slideWarnings } from './slide-warnings.js';
import { TextFields } from './TextFields.js';
import { TypeSwitch } from './TypeSwitch.js';
import type { ChosenAccount } from './useChosenAccount.js';
import type { Media } from './usePostMedia.js';
import type { SlideRemoval } from './useRemoveSlide.js';

interface Props {
  draft: Draft;
  chosen: ChosenAccount;
  media: Media;
  removal: SlideRemoval;
  mayWrite: boolean;
  isTypeFixed: boolean;
  /** Files are held over the page. */
  isDraggedOver: boolean;
  /** The person has tried to publish or schedule it. */
  wasTried: boolean;
  /** Chooses files; with the key of a file, one that takes its place. */
  onAddMedia: (insteadOf?: string) => void;
  onPublish: () => void;
}

/** Text, files, and what becomes of them. On a phone one below the other, and the files first. */
export function EditorColumns(props: Props) {
  const { draft, chosen, media, removal, mayWrite, isTypeFixed, isDraggedOver, wasTried } = props;
  const { onAddMedia, onPublish } = props;
  const { account, disconnected, mode, suggestedHashtags } = chosen;
  const view = useDraft(draft);
  const { id, postType, fields } = view;
  const isPhone = usePhone();
  const [selected, setSelected] = useState(0);
  const setCover = useCallback(
    (value: string) => draft.set(postType === 'video' ? 'cover_ms' : 'cover_index', value),
    [draft, postType],
  );
  const files = previewFiles(media);
  const index = Math.min(selected, Math.max(0, files.length - 1));
  const hashtags = fields.hashtags || suggestedHashtags;

  // Always there, so that the fields do not move with the first file.
  const typeSwitch = <TypeSwitch draft={draft} isFixed={isTypeFixed} />;
  const text = (
    <section key="text" className={classes.column} aria-label="Text">
      {!isPhone && typeSwitch}
      <TextFields draft={draft} mode={mode} isReadOnly={!mayWrite} suggestedHashtags={suggestedHashtags} />
    </section>
  );
  const mediaPanel = (
    // On a phone the text is below it, and would move.
    <DeferredRender key="media" by={isPhone ? 0 : 2} meanwhile={<Skeleton height={260} />}>
      <MediaPanel
        draft={view}
        media={media}
        removal={removal}
        selected={index}
        isOver={isDraggedOver}
        isReadOnly={!mayWrite}
        onSelect={setSelected}
        onCover={setCover}
        onOpen={onAddMedia}
      />
    </DeferredRender>
  );
  return (
    <div className={classes.columns}>
      {isPhone && (
        <section key="type" className={classes.column} aria-label="Post type">
          {typeSwitch}
        </section>
      )}
      {isPhone ? [mediaPanel, text] : [text, mediaPanel]}
      <section className={`${classes.column} ${classes.outcome}`} aria-label="Preview">
        <DeferredRender by={3} meanwhile={<Skeleton height={484} radius={28} />}>
          <PhonePreview
            postType={postType}
            files={files}
            sent={sentText({ postType, mode, fields: { ...fields, hashtags } })}
            cover={{ index: Number(fields.cover_index), ms: Number(fields.cover_ms) }}
            account={account}
            disconnectedName={disconnected?.username}
            index={index}
            onIndex={setSelected}
          />
          <Readiness
            postId={id}
            addMediaLabel={addMediaLabel(postType)}
            isUploading={media.uploads.some(isUnderWay)}
            mayWrite={mayWrite}
            wasTried={wasTried}
            warnings={postType === 'slides' ? slideWarnings(media.assets, media.uploads) : []}
            onResetCover={() => setCover('')}
            onAddMedia={() => onAddMedia()}
            onPublish={onPublish}
          />
        </DeferredRender>
      </section>
    </div>
  );
}
