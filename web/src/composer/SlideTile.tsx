import type { Asset } from '@airdate/sdk/core';
import { useSortable } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { ActionIcon, Loader } from '@mantine/core';
import { RefreshCw, Trash2 } from 'lucide-react';
import { stableUrl } from '../ui/stable-url.js';
import classes from './SlideRail.module.css';

interface Props {
  asset: Asset;
  place: number;
  isSelected: boolean;
  isBeingReplaced: boolean;
  /** Undefined if there is no choice. */
  isCover: boolean | undefined;
  onCover: () => void;
  onSelect: () => void;
  onReplace: () => void;
  onRemove: () => void;
}

export function SlideTile({
  asset,
  place,
  isSelected,
  isBeingReplaced,
  isCover,
  onCover,
  onSelect,
  onReplace,
  onRemove,
}: Props) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({
      id: asset.object_key,
      attributes: { roleDescription: 'movable slide' },
    });
  return (
    <li
      ref={setNodeRef}
      className={classes.tile}
      data-dragging={isDragging || undefined}
      data-selected={isSelected || undefined}
      style={{ transform: CSS.Transform.toString(transform), transition }}
    >
      <div className={classes.frame}>
        <button
          type="button"
          ref={setActivatorNodeRef}
          className={classes.picture}
          title={asset.filename}
          {...attributes}
          {...listeners}
          aria-label={`Slide ${place}, ${asset.filename}`}
          aria-current={isSelected || undefined}
          onClick={onSelect}
        >
          <img src={asset.thumbnail_url ?? stableUrl(asset.url)} alt="" draggable={false} />
          <span className={`${classes.number} figures`} aria-hidden>
            {place}
          </span>
          {isBeingReplaced && (
            <span className={classes.busy}>
              <Loader size="xs" color="gray.0" aria-label="Replacing…" />
            </span>
          )}
        </button>
        {isCover !== undefined && (
          <button
            type="button"
            className={classes.cover}
            aria-pressed={isCover}
            aria-label={`${isCover ? 'Cover' : 'Use as cover'}: slide ${place}`}
            onClick={onCover}
          >
            {isCover ? 'Cover' : 'Use as cover'}
          </button>
        )}
      </div>
      <div className={classes.tools}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={`Replace slide ${place}`}
          title="Replace this slide"
          onClick={onReplace}
        >
          <RefreshCw size={15} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={`Remove slide ${place}`}
          title="Remove this slide"
          onClick={onRemove}
        >
          <Trash2 size={15} aria-hidden />
        </ActionIcon>
      </div>
    </li>
  );
}
