// The slides in their order, which can be dragged or moved by keyboard.

import type { Asset } from '@airdate/sdk/core';
import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  MouseSensor,
  TouchSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  arrayMove,
  rectSortingStrategy,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { RefreshCw, Trash2 } from 'lucide-react';
import { memo, useEffect, useRef, useState } from 'react';
import { assetsQuery, refreshPosts } from '../api/queries.js';
import { showFailure } from '../ui/action-notice.js';
import { IconButton } from '../ui/IconButton.js';
import { stableUrl } from '../ui/stable-url.js';
import { type AssetList, arrange, inOrder } from '../uploads/arrange.js';
import { RemoveDialog } from './RemoveDialog.js';
import classes from './SlideRail.module.css';
import type { RemoveSlide } from './useRemoveSlide.js';

interface Props {
  postId: string;
  assets: readonly Asset[];
  /** Keys of slides that are being replaced, separated by spaces. */
  replaced: string;
  /** Keys of slides that are being removed, separated by spaces. */
  leaving: string;
  remove: RemoveSlide;
  selected: number;
  cover: number;
  onCover: (index: number) => void;
  onSelect: (index: number) => void;
  onReplace: (objectKey: string) => void;
}

/** Memoized, because every progress event of an upload would redraw all slides. */
export const SlideRail = memo(function SlideRail(props: Props) {
  const { postId, assets, replaced, leaving, remove, selected, cover, onCover, onSelect, onReplace } = props;
  const [asked, setAsked] = useState<string>();
  const reorder = useReorder(postId);
  const keys = assets.map(({ object_key }) => object_key);
  const place = (id: UniqueIdentifier) => keys.indexOf(String(id)) + 1;
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 220, tolerance: 8 } }),
    useSensor(KeyboardSensor, {
      coordinateGetter: sortableKeyboardCoordinates,
      // Enter shows the slide in the preview.
      keyboardCodes: { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter'] },
    }),
  );
  const drop = ({ active, over: target }: DragEndEvent) => {
    if (!target || active.id === target.id) return;
    const from = place(active.id) - 1;
    const to = place(target.id) - 1;
    const order = arrayMove(keys, from, to);
    reorder(order);
    // The cover is a number, and follows its slide. Without a choice it is always the first.
    const moved = order.indexOf(keys[cover] ?? '');
    if (cover > 0 && moved >= 0 && moved !== cover) onCover(moved);
    onSelect(to);
  };
  const latestCover = useRef(cover);
  useEffect(() => {
    latestCover.current = cover;
  });
  /** The cover is a number, and follows its slide. Returns what puts it back. */
  const coverWithout = (gone: number): (() => void) => {
    const was = latestCover.current;
    const now = gone < 0 || gone > was ? was : gone === was ? 0 : was - 1;
    if (now === was) return () => {};
    onCover(now);
    return () => {
      if (latestCover.current === now) onCover(was);
    };
  };
  const busyWith = (key: string) =>
    leaving.split(' ').includes(key)
      ? 'Removing…'
      : replaced.split(' ').includes(key)
        ? 'Replacing…'
        : undefined;
  const removeNow = (asset: Asset, at: number) => {
    if (busyWith(asset.object_key) === 'Removing…') return;
    let restoreCover = () => {};
    void remove({
      asset,
      place: at + 1,
      onRemoved: () => {
        restoreCover = coverWithout(at);
      },
      onRestored: () => restoreCover(),
      onUnreadable: () => setAsked(asset.object_key),
    });
  };
  const going = assets.find(({ object_key }) => object_key === asked);
  return (
    <>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={drop}
        accessibility={{ announcements: announcements(place, keys.length), screenReaderInstructions }}
      >
        <SortableContext items={keys} strategy={rectSortingStrategy}>
          <ol className={classes.rail} aria-label="Slides">
            {assets.map((asset, i) => (
              <SlideTile
                key={asset.object_key}
                asset={asset}
                place={i + 1}
                isSelected={i === selected}
                busy={busyWith(asset.object_key)}
                isCover={assets.length > 1 ? i === cover : undefined}
                onCover={() => onCover(i)}
                onSelect={() => onSelect(i)}
                onReplace={() => onReplace(asset.object_key)}
                onRemove={() => removeNow(asset, i)}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      <RemoveDialog
        postId={postId}
        asset={going}
        what={going ? `slide ${place(going.object_key)}` : ''}
        onClose={() => setAsked(undefined)}
        onRemoved={(key) => void coverWithout(keys.indexOf(key))}
      />
    </>
  );
});

const screenReaderInstructions = {
  draggable:
    'To move a slide, press space, use the arrow keys, then press space again to drop it. Press escape to cancel.',
};

function announcements(place: (id: UniqueIdentifier) => number, count: number): Announcements {
  return {
    onDragStart: ({ active }) => `Picked up slide ${place(active.id)} of ${count}.`,
    onDragOver: ({ active, over: target }) =>
      target
        ? `Slide ${place(active.id)} is over position ${place(target.id)} of ${count}.`
        : `Slide ${place(active.id)} isn’t over a position.`,
    onDragEnd: ({ active, over: target }) =>
      target
        ? `Slide ${place(active.id)} moved to position ${place(target.id)} of ${count}.`
        : `Slide ${place(active.id)} went back to its position.`,
    onDragCancel: ({ active }) => `Slide ${place(active.id)} went back to its position.`,
  };
}

interface SlideTileProps {
  asset: Asset;
  place: number;
  isSelected: boolean;
  /** What is being done to it. */
  busy: string | undefined;
  /** Undefined if there is no choice. */
  isCover: boolean | undefined;
  onCover: () => void;
  onSelect: () => void;
  onReplace: () => void;
  onRemove: () => void;
}

function SlideTile({
  asset,
  place,
  isSelected,
  busy,
  isCover,
  onCover,
  onSelect,
  onReplace,
  onRemove,
}: SlideTileProps) {
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
          {busy && (
            <span className={classes.busy}>
              <Loader size="xs" color="gray.0" aria-label={busy} />
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
        <IconButton
          label={`Replace slide ${place}`}
          icon={RefreshCw}
          iconSize={15}
          title="Replace this slide"
          onClick={onReplace}
        />
        <IconButton
          label={`Remove slide ${place}`}
          icon={Trash2}
          iconSize={15}
          title="Remove this slide"
          onClick={onRemove}
        />
      </div>
    </li>
  );
}

/** Shows the new order immediately and sends it; several are sent one after the other, so the last one counts. */
function useReorder(postId: string): (order: string[]) => void {
  const client = useQueryClient();
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const wanted = useRef<string[]>([]);
  const { queryKey } = assetsQuery(postId);
  return (order) => {
    wanted.current = order;
    void client.cancelQueries({ queryKey });
    client.setQueryData<AssetList>(queryKey, (list) => list && { ...list, data: sorted(list.data, order) });
    queue.current = queue.current.then(async () => {
      if (wanted.current !== order) return;
      try {
        const list = await arrange(postId, inOrder(order));
        if (wanted.current === order) client.setQueryData(queryKey, list);
      } catch (error) {
        showFailure('Couldn’t reorder the slides', error);
      }
      void refreshPosts(client);
    });
  };
}

const sorted = (assets: AssetList['data'], order: string[]) =>
  assets.toSorted((a, b) => order.indexOf(a.object_key) - order.indexOf(b.object_key));
