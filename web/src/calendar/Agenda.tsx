// The week as a list, day by day, for phones.
import { ActionIcon, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Clock, Plus } from 'lucide-react';
import { StatusBadge } from '../ui/StatusBadge.js';
import { statusOf } from '../ui/status.js';
import { clock, inFull } from '../ui/time.js';
import classes from './Agenda.module.css';
import type { Item } from './items.js';
import { dayText, midnight, plusDays, type Range } from './range.js';
import { TinyCover } from './TinyCover.js';

interface Props {
  range: Range;
  /** Undefined while they load. */
  items: Item[] | undefined;
  now: number;
  mayMove: boolean;
  onMove: (item: Item) => void;
  onSlot: (day: Date) => void;
}

export function Agenda({ range, items, now, mayMove, onMove, onSlot }: Props) {
  const today = midnight(new Date(now)).getTime();
  // No day is shown before its posts are known: they would push the days below down.
  if (!items) return <Skeleton height={560} aria-busy />;
  return Array.from({ length: 7 }, (_, i) => plusDays(range.from, i)).map((day) => {
    const name = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' }).format(
      day,
    );
    const ofDay = items.filter(({ at }) => dayText(new Date(at)) === dayText(day));
    const isPast = day.getTime() < today;
    // Past days are shown only if they have posts.
    if (isPast && ofDay.length === 0) return null;
    return (
      <section key={dayText(day)} className={classes.day} aria-label={name} data-past={isPast}>
        <header className={classes.header}>
          <h3 data-today={day.getTime() === today}>
            {name}
            {day.getTime() === today && ', today'}
          </h3>
          {!isPast && mayMove && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={44}
              aria-label={`Schedule a post for ${name}`}
              onClick={() => onSlot(day)}
            >
              <Plus size={18} aria-hidden />
            </ActionIcon>
          )}
        </header>
        {ofDay.length === 0 && <p className={classes.none}>Nothing scheduled.</p>}
        {ofDay.length > 0 && (
          <ul className={classes.list}>
            {ofDay.map((item) => (
              <Row key={item.post.id} item={item} {...(mayMove ? { onMove } : {})} />
            ))}
          </ul>
        )}
      </section>
    );
  });
}

function Row({ item, onMove }: { item: Item; onMove?: (item: Item) => void }) {
  const { post, at } = item;
  return (
    <li className={classes.row}>
      <Link to="/posts/$postId" params={{ postId: post.id }} className={classes.link}>
        <TinyCover post={post} width={36} />
        <span className={classes.words}>
          <time dateTime={at} title={inFull(at)} className={classes.time}>
            {clock(at)}
          </time>
          <span className={classes.title}>{post.title}</span>
          <StatusBadge {...statusOf(post)} />
        </span>
      </Link>
      {onMove && post.status === 'scheduled' && (
        <ActionIcon
          variant="default"
          size={44}
          aria-label={`Move ${post.title}…`}
          data-move={post.id}
          onClick={() => onMove(item)}
        >
          <Clock size={16} aria-hidden />
        </ActionIcon>
      )}
    </li>
  );
}
