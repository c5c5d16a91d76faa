// When the selected posts go out: how far apart, and which of them at which time.
import type { Post } from '@airdate/sdk/core';
import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useId } from 'react';
import { titleOf } from '../../text/post-title.js';
import { dateAndTime } from '../../text/time.js';
import classes from './Dialogs.module.css';
import { isoOf, type Spacing, slotToLose, type Unit } from './slots.js';

export function Every({
  spacing: { every, unit },
  onChange,
}: {
  spacing: Spacing;
  onChange: (spacing: Spacing) => void;
}) {
  const id = useId();
  return (
    <div className={classes.every}>
      <label htmlFor={id}>Then every</label>
      <TextInput
        id={id}
        type="number"
        inputMode="numeric"
        min={1}
        max={365}
        w={72}
        value={Number.isNaN(every) ? '' : every}
        onChange={({ currentTarget }) => onChange({ every: currentTarget.valueAsNumber, unit })}
      />
      <NativeSelect
        aria-label="Unit"
        w={112}
        value={unit}
        onChange={({ currentTarget }) => onChange({ every, unit: currentTarget.value as Unit })}
        data={[
          { value: 'hours', label: every === 1 ? 'hour' : 'hours' },
          { value: 'days', label: every === 1 ? 'day' : 'days' },
          { value: 'weeks', label: every === 1 ? 'week' : 'weeks' },
        ]}
      />
    </div>
  );
}

/** Each post with its new time, and the one it has if it is scheduled already. */
export function SlotList({
  posts,
  slots,
  others,
  isSpaced,
  now,
  zone,
}: {
  posts: Post[];
  slots: number[];
  /** What else goes out at these times. */
  others: string | null;
  /** One after the other, and not at their own times. */
  isSpaced: boolean;
  now: number;
  zone: string;
}) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={6}>
        {posts.length > 1 && isSpaced && 'In the order you selected them. '}Your time zone:{' '}
        {zone.replaceAll('_', ' ')}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <ol className={`figures ${classes.slots}`} aria-label="Slots" tabIndex={0}>
        {posts.map((post, n) => {
          const slot = slots[n] ?? 0;
          const before = slotToLose(post, slot);
          return (
            <li key={post.id}>
              <div>
                <span className={classes.title} dir="auto">
                  {titleOf(post)}
                </span>
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
      <Text size="xs" className="figures" mt={6} aria-live="polite">
        {others}
      </Text>
    </div>
  );
}
