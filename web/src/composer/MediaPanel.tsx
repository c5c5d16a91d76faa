import { Skeleton, Title } from '@mantine/core';
import { ProblemNote } from '../ui/ProblemNote.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { MAX_SLIDES } from '../uploads/limits.js';
import { isUnderWay } from '../uploads/uploads.js';
import { DropZone } from './DropZone.js';
import type { DraftView } from './draft-view.js';
import classes from './Editor.module.css';
import { SlideRail } from './SlideRail.js';
import { UploadList } from './UploadList.js';
import type { Media } from './usePostMedia.js';
import { VideoCard } from './VideoCard.js';

interface Props {
  draft: DraftView;
  media: Media;
  selected: number;
  isOver: boolean;
  onSelect: (index: number) => void;
  onOpen: (insteadOf?: string) => void;
}

export function MediaPanel({ draft: { id, postType }, media, selected, isOver, onSelect, onOpen }: Props) {
  const { assets, uploads, stuck } = media;
  const isVideo = postType === 'video';
  const count = assets.length;
  const video = isVideo ? assets[0] : undefined;
  const isBusy = uploads.some(isUnderWay);
  const isFull = !isVideo && count >= MAX_SLIDES;
  return (
    <section className={classes.column} aria-labelledby="media">
      <div className={classes.heading}>
        <Title order={2} id="media">
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
          replaced={uploads.flatMap(({ insteadOf }) => insteadOf ?? []).join(' ')}
          selected={selected}
          onSelect={onSelect}
          onReplace={onOpen}
        />
      )}
      {id !== undefined && video && (
        <VideoCard postId={id} asset={video} isBeingReplaced={isBusy} onReplace={() => onOpen()} />
      )}
      <QuotaBar name="bytes" isQuiet />
      <UploadList postId={id} media={media} />
      {!media.isLoading && !(isVideo && (video || isBusy)) && !isFull && (
        <DropZone
          postType={postType}
          label={isVideo ? 'Add video' : 'Add slides'}
          isOver={isOver}
          isSmall={count + uploads.length > 0}
          onOpen={() => onOpen()}
        />
      )}
      {count > 1 && !isVideo && (
        <p className={classes.hint}>Drag to reorder, or press space on a slide and use the arrow keys.</p>
      )}
    </section>
  );
}
