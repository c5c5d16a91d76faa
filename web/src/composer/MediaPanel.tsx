import { Skeleton, Title } from '@mantine/core';
import { ImagePlus, Upload } from 'lucide-react';
import { useCallback } from 'react';
import { DropZone } from '../ui/DropZone.js';
import { ProblemNote } from '../ui/Note.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { useTouch } from '../ui/usePhone.js';
import { limitsText, MAX_SLIDES } from '../uploads/limits.js';
import { isUnderWay } from '../uploads/store.js';
import type { DraftView } from './draft-state.js';
import classes from './Editor.module.css';
import { MEDIA_HEADING } from './FilePicker.js';
import { SlideRail } from './SlideRail.js';
import { UploadList } from './UploadList.js';
import type { Media } from './usePostMedia.js';
import type { SlideRemoval } from './useRemoveSlide.js';
import { VideoCard } from './VideoCard.js';

interface Props {
  draft: DraftView;
  media: Media;
  removal: SlideRemoval;
  selected: number;
  isOver: boolean;
  isReadOnly: boolean;
  onSelect: (index: number) => void;
  /** The number of a slide or the moment of the video; empty for the first. */
  onCover: (value: string) => void;
  onOpen: (insteadOf?: string) => void;
}

export function MediaPanel(props: Props) {
  const { draft, media, removal, selected, isOver, isReadOnly, onSelect, onCover, onOpen } = props;
  const { id, postType, fields } = draft;
  const coverSlide = useCallback((index: number) => onCover(index === 0 ? '' : String(index)), [onCover]);
  const { assets, uploads, stuck } = media;
  const isVideo = postType === 'video';
  const usesTouch = useTouch();
  const count = assets.length;
  const video = isVideo ? assets[0] : undefined;
  const isBusy = uploads.some(isUnderWay);
  const isFull = !isVideo && count >= MAX_SLIDES;
  return (
    <section className={classes.column} aria-labelledby={MEDIA_HEADING} inert={isReadOnly}>
      <div className={classes.heading}>
        <Title order={2} id={MEDIA_HEADING} tabIndex={-1}>
          {isVideo ? 'Video' : 'Slides'}
        </Title>
        {!isVideo && (
          <span className={`${classes.count} figures`}>
            {count} of {MAX_SLIDES}
          </span>
        )}
      </div>
      {stuck && <ProblemNote error={stuck.error} onRetry={stuck.retry} />}
      {media.error !== null && <ProblemNote error={media.error} />}
      {media.isLoading && <Skeleton height={220} radius={10} />}
      {id !== undefined && !isVideo && count > 0 && (
        <SlideRail
          postId={id}
          assets={assets}
          leaving={removal.leaving.join(' ')}
          remove={removal.remove}
          replaced={uploads.flatMap(({ insteadOf }) => insteadOf ?? []).join(' ')}
          selected={selected}
          cover={Number(fields.cover_index)}
          onCover={coverSlide}
          onSelect={onSelect}
          onReplace={onOpen}
        />
      )}
      {id !== undefined && video && (
        <VideoCard
          postId={id}
          asset={video}
          isBeingReplaced={isBusy}
          coverMs={fields.cover_ms}
          onCoverMs={onCover}
          onReplace={() => onOpen()}
        />
      )}
      <QuotaBar name="bytes" isQuiet />
      <UploadList postId={id} media={media} onReplace={onOpen} />
      {!media.isLoading && !(isVideo && (video || isBusy)) && !isFull && (
        <DropZone
          icon={isVideo ? Upload : ImagePlus}
          label={isVideo ? 'Add video' : 'Add slides'}
          hint={
            isOver
              ? 'Drop to add'
              : `${usesTouch ? '' : 'Drop files here, or browse. '}${limitsText(postType)}.`
          }
          size={count + uploads.length > 0 ? 'small' : 'large'}
          isOver={isOver}
          onOpen={() => onOpen()}
        />
      )}
      {count > 1 && !isVideo && (
        <p className={classes.hint}>
          {usesTouch
            ? 'Drag to reorder.'
            : 'Drag to reorder, or press space on a slide and use the arrow keys.'}
        </p>
      )}
    </section>
  );
}
