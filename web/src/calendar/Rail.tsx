// The newest drafts beside the grid: dragged onto a day or an hour, they are scheduled there. On the left, because messages
// appear at the right, one for each draft that was scheduled.

import type { Post } from '@airdate/sdk/core';
import { Draggable } from '@fullcalendar/react/interaction';
import { Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarPlus, TriangleAlert } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { accountsQuery } from '../api/queries.js';
import { inBrief } from '../text/api-text.js';
import { number } from '../text/numbers.js';
import { dateAndTime, inFull } from '../text/time.js';
import { IconButton } from '../ui/IconButton.js';
import { ProblemNote } from '../ui/Note.js';
import { useSlices } from '../ui/useSlices.js';
import type { Drag } from './DragHint.js';
import { missingParts } from './draft-gaps.js';
import classes from './Rail.module.css';
import type { View } from './range.js';
import { TinyCover } from './TinyCover.js';
import { useDraftSearch } from './useDraftSearch.js';

/** How many drafts are drawn in one task. */
const SLICE = 5;

interface Props {
  view: View;
  drag: Drag;
  onSchedule: (postId: string) => void;
}

export default function Rail({ view, drag, onSchedule }: Props) {
  const { search, setSearch, isSearch, drafts } = useDraftSearch();
  const list = useRef<HTMLUListElement>(null);
  useDraftDrag(list, view, drag);
  const { data: accounts } = useQuery(accountsQuery);
  const posts = drafts.data?.data;
  const [drawn] = useSlices(posts?.length ?? 0, SLICE);
  const total = drafts.data?.pagination.total ?? 0;
  return (
    <section className={classes.rail} aria-label="Drafts">
      <div className={classes.top}>
        <h3 className={classes.heading}>Drafts</h3>
        <Link to="/library" search={{ status: 'draft' }} className={classes.all}>
          {total > 0 && !isSearch ? `All ${number(total)}` : 'All drafts'}
        </Link>
      </div>
      <TextInput
        type="search"
        aria-label="Search drafts"
        placeholder="Search drafts"
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {drafts.isError && <ProblemNote query={drafts} />}
      <ul className={classes.list} ref={list} aria-busy={drafts.isPending}>
        {drafts.isPending && [0, 1, 2, 3].map((n) => <Skeleton key={n} height={62} />)}
        {posts?.slice(0, drawn).map((post) => (
          <Draft
            key={post.id}
            post={post}
            warning={missingParts(post, accounts)[0] ?? null}
            onSchedule={onSchedule}
          />
        ))}
        {posts?.length === 0 && (
          <li className={classes.hint}>{isSearch ? 'No drafts match.' : 'No drafts. Start a new post.'}</li>
        )}
      </ul>
      {posts && posts.length > 0 && (
        <p className={classes.hint}>
          {view === 'week' ? 'Drag onto a time.' : 'Drag onto a day to schedule.'}
        </p>
      )}
    </section>
  );
}

function Draft({
  post,
  warning,
  onSchedule,
}: {
  post: Post;
  warning: string | null;
  onSchedule: (postId: string) => void;
}) {
  return (
    <li>
      {/* Not the item itself: its image follows the pointer, outside of the list. */}
      <div className={classes.draft} data-draft={post.id} data-at={post.scheduled_at ?? undefined}>
        <TinyCover post={post} width={28} />
        <span className={classes.words}>
          <Link
            to="/posts/$postId"
            params={{ postId: post.id }}
            className={classes.title}
            dir="auto"
            draggable={false}
            title={post.title ?? ''}
          >
            {post.title}
          </Link>
          {post.scheduled_at !== null && (
            <time
              className={classes.own}
              dateTime={post.scheduled_at}
              title={`Not scheduled: ${inFull(post.scheduled_at)}`}
            >
              {dateAndTime(post.scheduled_at)}
            </time>
          )}
          {warning !== null && (
            <span className={classes.warning} title={reasonOf(post) ?? warning}>
              <TriangleAlert size={12} /> {warning}
            </span>
          )}
        </span>
        <IconButton
          label={`Schedule ${post.title}…`}
          icon={CalendarPlus}
          data-move={post.id}
          title="Schedule…"
          onClick={() => onSchedule(post.id)}
        />
      </div>
    </li>
  );
}

const reasonOf = ({ last_publish_error }: Post): string | null =>
  last_publish_error === null ? null : inBrief(last_publish_error);

/** The grid knows which slot a draft is over, and reports the drop. */
function useDraftDrag(list: RefObject<HTMLElement | null>, view: View, drag: Drag): void {
  useEffect(() => {
    if (!list.current) return;
    const draggable = new Draggable(list.current, {
      itemSelector: '[data-draft]',
      longPressDelay: 400,
      // Nothing is added to the grid before the post has its slot. The duration is the height of the mark in the week.
      eventData: { create: false, ...(view === 'week' ? { duration: '00:45' } : {}) },
    });
    const { emitter } = draggable.dragging;
    emitter.on('dragstart', ({ subjectEl }: { subjectEl: HTMLElement }) =>
      drag.start(subjectEl.dataset.at ?? null),
    );
    emitter.on('dragmove', ({ pageX, pageY }: { pageX: number; pageY: number }) => {
      const under = document.elementFromPoint(pageX - window.scrollX, pageY - window.scrollY);
      if (!under?.closest('[role$=cell][data-date]')) drag.show(null);
    });
    emitter.on('dragend', () => drag.end('Not scheduled'));
    return () => draggable.destroy();
  }, [list, view, drag]);
}
