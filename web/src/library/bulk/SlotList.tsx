import type { Post } from '@airdate/sdk/core';
import { Text } from '@mantine/core';
import { titleOf } from '../../text/post-title.js';
import { dateAndTime } from '../../text/time.js';
import classes from './Dialogs.module.css';
import { isoOf, slotToLose } from './slots.js';

/** Each post with its new time, and the one it has if it is scheduled already. */
export function SlotList({
  posts,
  slots,
  now,
  zone,
}: {
  posts: Post[];
  slots: number[];
  now: number;
  zone: string;
}) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={6}>
        {posts.length > 1 && 'In the order you selected them. '}Your time zone: {zone.replaceAll('_', ' ')}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <ol className={`figures ${classes.slots}`} aria-label="Slots" tabIndex={0}>
        {posts.map((post, n) => {
          const slot = slots[n] ?? 0;
          const before = slotToLose(post, slot);
          return (
            <li key={post.id}>
              <div>
                <span className={classes.title}>{titleOf(post)}</span>
                <span className={classes.times}>
                  {before && (
                    <>
                      <time dateTime={before}>{dateAndTime(before, now)}</time>
                      <span aria-hidden>{' → '}</span>
                      <span className="unseen"> moves to </span>
                    </>
                  )}
                  <time dateTime={isoOf(slot)}>{dateAndTime(slot, now)}</time>
                </span>
              </div>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
