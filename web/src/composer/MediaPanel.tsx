import type { Asset } from '@airdate/sdk/core';
import { Button, Group, Skeleton, Title } from '@mantine/core';
import { Film, ImagePlus, Trash2, Upload } from 'lucide-react';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { DropZone } from '../ui/DropZone.js';
import { ProblemNote } from '../ui/Note.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { stableUrl } from '../ui/stable-url.js';
import { useTouch } from '../ui/usePhone.js';
import { bytes, limitsInWords, MAX_SLIDES } from '../uploads/limits.js';
import { isUnderWay } from '../uploads/store.js';
import { clockOf } from './clock.js';
import type { DraftView } from './draft-state.js';
import classes from './Editor.module.css';
import { MEDIA_HEADING } from './FilePicker.js';
import { RemoveDialog } from './RemoveDialog.js';
import { SlideRail } from './SlideRail.js';
import { UploadList } from './UploadList.js';
import type { Media } from './usePostMedia.js';
import type { SlideRemoval } from './useRemoveSlide.js';
import videoCardClasses from './VideoCard.module.css';

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
              : `${usesTouch ? '' : 'Drop files here, or browse. '}${limitsInWords(postType)}.`
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

interface VideoCardProps {
  postId: string;
  asset: Asset;
  isBeingReplaced: boolean;
  /** In milliseconds; empty for the first frame. */
  coverMs: string;
  onCoverMs: (ms: string) => void;
  onReplace: () => void;
}

/** The properties of the video; it plays in the preview. */
function VideoCard({ postId, asset, isBeingReplaced, coverMs, onCoverMs, onReplace }: VideoCardProps) {
  const [isRemoving, setIsRemoving] = useState(false);
  const shown = useRef(asset.object_key);
  // The moment belonged to the video before.
  useEffect(() => {
    if (shown.current === asset.object_key) return;
    shown.current = asset.object_key;
    onCoverMs('');
  }, [asset.object_key, onCoverMs]);
  const facts = [
    ['Length', asset.duration_ms === null ? 'unknown' : clockOf(asset.duration_ms)],
    ['Size', bytes(asset.size)],
    ['Resolution', `${asset.width} × ${asset.height}`],
  ];
  return (
    <div className={videoCardClasses.card}>
      <div className={videoCardClasses.name}>
        <Film size={18} />
        <span dir="auto">{asset.filename}</span>
      </div>
      <dl className={`${videoCardClasses.facts} figures`}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <CoverMoment
        key={asset.object_key}
        src={stableUrl(asset.url)}
        durationMs={asset.duration_ms}
        value={coverMs}
        onChange={onCoverMs}
      />
      {isBeingReplaced && (
        <p className={videoCardClasses.note}>This video stays until the new one is uploaded.</p>
      )}
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<Upload size={15} />}
          aria-label="Replace video"
          onClick={onReplace}
        >
          Replace
        </Button>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<Trash2 size={15} />}
          aria-label="Remove video"
          onClick={() => setIsRemoving(true)}
        >
          Remove
        </Button>
      </Group>
      <RemoveDialog
        postId={postId}
        asset={isRemoving ? asset : undefined}
        what="the video"
        onClose={() => setIsRemoving(false)}
      />
    </div>
  );
}

/** What an arrow key moves. */
const STEP_MS = 100;

interface CoverMomentProps {
  src: string;
  /** Null if the server could not read it. */
  durationMs: number | null;
  /** In milliseconds; empty for the first frame. */
  value: string;
  onChange: (value: string) => void;
}

/** The moment of the video whose frame is its cover, with that frame. */
function CoverMoment({ src, durationMs, value, onChange }: CoverMomentProps) {
  const id = useId();
  const frame = useRef<HTMLVideoElement>(null);
  const [foundMs, setFoundMs] = useState(0);
  const ms = value === '' ? 0 : Number(value);
  const most = durationMs ?? foundMs;
  useEffect(() => {
    if (frame.current) frame.current.currentTime = ms / 1000;
  }, [ms]);
  return (
    <div className={videoCardClasses.cover}>
      <video
        ref={frame}
        className={videoCardClasses.frame}
        src={src}
        muted
        playsInline
        preload="auto"
        aria-hidden
        tabIndex={-1}
        onLoadedMetadata={({ currentTarget }) => {
          if (Number.isFinite(currentTarget.duration)) setFoundMs(Math.floor(currentTarget.duration * 1000));
          currentTarget.currentTime = ms / 1000;
        }}
      />
      <div className={videoCardClasses.choice}>
        <label htmlFor={id} className={videoCardClasses.label}>
          Cover <output className="figures">{value === '' ? 'First frame' : clockOf(ms)}</output>
        </label>
        <input
          id={id}
          className={videoCardClasses.scrubber}
          type="range"
          min={0}
          max={most}
          step={STEP_MS}
          value={Math.min(ms, most)}
          disabled={most === 0}
          aria-valuetext={value === '' ? 'First frame' : clockOf(ms)}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '0' ? '' : currentTarget.value)}
        />
        <Button size="compact-sm" variant="default" disabled={value === ''} onClick={() => onChange('')}>
          Use first frame
        </Button>
      </div>
    </div>
  );
}
