import { Link } from '@tanstack/react-router';
import { Clock } from 'lucide-react';
import { memo } from 'react';
import { named } from '../ui/api-text.js';
import { usePlatform } from '../ui/platform.js';
import { useTimeFormat } from '../ui/Time.js';
import { clock, dateAndTime, inFull } from '../ui/time.js';
import classes from './Chip.module.css';
import { chipStateOf, shortLabel } from './chip-state.js';
import type { Item } from './items.js';
import { TinyCover } from './TinyCover.js';

interface ChipProps {
  item: Item;
  /** The time it is shown at: during a drag not its own. */
  at: Date;
  /** It may be another function each time, but always does the same. */
  onMove?: (() => void) | undefined;
  /** A drag that ends on the chip is not a click. */
  isDragged?: () => boolean;
}

/** The grid draws all of its chips with each slice of posts, and each minute; most of them are the same. */
const isSame = (a: ChipProps, b: ChipProps): boolean =>
  a.item === b.item && a.at.getTime() === b.at.getTime() && !a.onMove === !b.onMove;

/** A post in the calendar: a link to it and, while it can have another slot, a button that moves it without a mouse. */
export const Chip = memo(function Chip({ item, at, onMove, isDragged = () => false }: ChipProps) {
  useTimeFormat();
  const { post } = item;
  const { tone, label, reason } = chipStateOf(post);
  const platform = usePlatform();
  const said = reason === null ? label : `${label}: ${named(reason, platform)}`;
  return (
    <div className={classes.chip} data-tone={tone} title={`${post.title}\n${said}\n${inFull(at)}`}>
      <Link
        to="/posts/$postId"
        params={{ postId: post.id }}
        className={classes.link}
        draggable={false}
        onClick={(event) => isDragged() && event.preventDefault()}
      >
        <TinyCover post={post} width={17} />
        <span className={classes.words}>
          {tone === 'attention' ? (
            <>
              <span className={classes.label}>{shortLabel(label)}</span>
              <span className={classes.title}>
                <b>
                  <Clockface at={at} />
                </b>{' '}
                <span className={classes.name}>{post.title}</span>
              </span>
            </>
          ) : (
            <>
              <span className={classes.time}>
                <Clockface at={at} />
              </span>
              <span className={classes.title}>{post.title}</span>
            </>
          )}
          <span className="unseen">
            {said}, {dateAndTime(at)}
          </span>
        </span>
      </Link>
      {onMove && (
        <button
          type="button"
          className={classes.move}
          onClick={onMove}
          aria-label={`Move ${post.title}…`}
          data-move={post.id}
        >
          <Clock size={13} aria-hidden />
        </button>
      )}
    </div>
  );
}, isSame);

/** "9:30 am", of which a narrow chip shows "9:30": the hours beside the grid say the rest. */
export function Clockface({ at }: { at: Date | string }) {
  const [time, half] = clock(at).split(/\s/);
  return (
    <>
      {time}
      {half && <span className={classes.half}> {half}</span>}
    </>
  );
}
