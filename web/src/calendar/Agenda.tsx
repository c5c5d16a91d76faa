// Seven days as a list, for phones. The first is today, unless another one was chosen.

import { Button, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronUp, Clock, Plus } from 'lucide-react';
import { useState } from 'react';
import { named } from '../text/api-text.js';
import { dayText } from '../text/month.js';
import { number } from '../text/numbers.js';
import { clock, inFull } from '../text/time.js';
import { IconButton } from '../ui/IconButton.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import classes from './Agenda.module.css';
import { useChipFacts } from './chip-facts.js';
import { chipStateOf } from './chip-state.js';
import type { Item } from './items.js';
import { midnight, plusDays, type Range } from './range.js';
import { isOut } from './stacks.js';
import { TinyCover } from './TinyCover.js';

interface Props {
  range: Range;
  /** Undefined while they load. */
  items: Item[] | undefined;
  now: number;
  mayMove: boolean;
  isFiltered: boolean;
  onMove: (item: Item) => void;
  onSlot: (day: Date) => void;
  onStep: (by: 1 | -1) => void;
}

export function Agenda(props: Props) {
  const { items, onStep } = props;
  return (
    <>
      <Button
        className={classes.step ?? ''}
        variant="subtle"
        color="gray"
        fullWidth
        leftSection={<ChevronUp size={16} />}
        onClick={() => onStep(-1)}
      >
        Earlier days
      </Button>
      {/* No day is shown before its posts are known: they would push the days below down. */}
      {items ? <Days {...props} items={items} /> : <Skeleton height={560} aria-busy />}
      <Button
        className={classes.step ?? ''}
        variant="subtle"
        color="gray"
        fullWidth
        leftSection={<ChevronDown size={16} />}
        onClick={() => onStep(1)}
      >
        Later days
      </Button>
    </>
  );
}

function Days({ range, items, now, mayMove, isFiltered, onMove, onSlot }: Props & { items: Item[] }) {
  const today = midnight(new Date(now)).getTime();
  const isPast = (day: Date) => day.getTime() < today;
  const days = Array.from({ length: 7 }, (_, i) => plusDays(range.from, i));
  return (
    <>
      {items.length === 0 && (
        <p className={classes.empty} role="status">
          {emptyText(isFiltered, days.every(isPast), mayMove)}
        </p>
      )}
      {days.map((day) => {
        const ofDay = items.filter(({ at }) => dayText(new Date(at)) === dayText(day));
        // Past days are shown only if they have posts.
        if (isPast(day) && ofDay.length === 0) return null;
        const name = nameOf(day);
        return (
          <section key={dayText(day)} className={classes.day} aria-label={name} data-past={isPast(day)}>
            <header className={classes.header}>
              <h3 data-today={day.getTime() === today}>
                {name}
                {day.getTime() === today && ', today'}
              </h3>
              {ofDay.length === 0 && items.length > 0 && (
                <span className={classes.none}>Nothing scheduled</span>
              )}
              {!isPast(day) && mayMove && (
                <IconButton
                  label={`Schedule a post for ${name}`}
                  icon={Plus}
                  iconSize={18}
                  size={44}
                  onClick={() => onSlot(day)}
                />
              )}
            </header>
            {ofDay.length > 0 && (
              <Posts items={ofDay} isToday={day.getTime() === today} {...(mayMove ? { onMove } : {})} />
            )}
          </section>
        );
      })}
    </>
  );
}

/** From this many posts that went out today they are folded: what comes next would begin below the window. */
const MIN_FOLDED = 3;

interface PostsProps {
  items: Item[];
  isToday: boolean;
  onMove?: (item: Item) => void;
}

function Posts({ items, isToday, onMove }: PostsProps) {
  const [isOpen, setOpen] = useState(false);
  const out = isToday ? items.filter(isOut) : [];
  const isFolded = out.length >= MIN_FOLDED && !isOpen;
  const shown = isFolded ? items.filter((item) => !isOut(item)) : items;
  return (
    <>
      {isFolded && (
        <Button
          className={classes.step ?? ''}
          variant="subtle"
          color="gray"
          fullWidth
          leftSection={<ChevronUp size={16} />}
          onClick={() => setOpen(true)}
        >
          {number(out.length)} posted today
        </Button>
      )}
      {shown.length > 0 && (
        <ul className={classes.list}>
          {shown.map((item) => (
            <Row key={item.post.id} item={item} {...(onMove ? { onMove } : {})} />
          ))}
        </ul>
      )}
    </>
  );
}

const nameOf = (day: Date): string =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' }).format(day);

function emptyText(isFiltered: boolean, isPast: boolean, mayMove: boolean): string {
  if (isFiltered) return 'No posts match these filters.';
  if (isPast) return 'Nothing was posted on these days.';
  return `Nothing scheduled on these days.${mayMove ? ' Tap + on a day to start.' : ''}`;
}

function Row({ item, onMove }: { item: Item; onMove?: (item: Item) => void }) {
  const { post, at } = item;
  const { platform, accounts } = useChipFacts();
  const account = accounts?.get(post.social_account_id ?? '');
  const { tone, label, reason } = chipStateOf(post);
  return (
    <li className={classes.row}>
      <Link to="/posts/$postId" params={{ postId: post.id }} className={classes.link}>
        <TinyCover post={post} width={36} />
        <span className={classes.words}>
          <time dateTime={at} title={inFull(at)} className={classes.time}>
            {clock(at)}
            {account && <span className={classes.account}> · {account.username}</span>}
          </time>
          <span className={classes.title} dir="auto">
            {post.title}
          </span>
          <StatusBadge tone={tone} label={label} />
          {reason !== null && <span className={classes.reason}>{named(reason, platform)}</span>}
        </span>
      </Link>
      {onMove && (post.status === 'scheduled' || post.status === 'draft') && (
        <IconButton
          label={`Move ${post.title}…`}
          icon={Clock}
          variant="default"
          size={44}
          data-move={post.id}
          onClick={() => onMove(item)}
        />
      )}
    </li>
  );
}
