// A day from a month, a time as it is typed, and the times that people often choose.

import { Button, Text } from '@mantine/core';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import { useLeadMs } from '../api/queries.js';
import { dayName, firstDayOf, shortDay } from '../text/month.js';
import { clock, dateAndTime, duration, inUtc, zoneName } from '../text/time.js';
import { showTime } from '../text/typed-time.js';
import { MonthGrid } from '../ui/MonthGrid.js';
import { Note } from '../ui/Note.js';
import { Segments } from '../ui/Segments.js';
import { useNow, useTimeFormat } from '../ui/Time.js';
import { TimeField } from '../ui/TimeField.js';
import { AmbiguousTimeField } from './AmbiguousTimeField.js';
import { fieldId } from './fields.js';
import { momentOf, type PublishForm, tooSoon, type When } from './form.js';
import publishDialogClasses from './PublishDialog.module.css';
import { presetsOf } from './presets.js';
import classes from './SlotPicker.module.css';
import { useSameMinuteText } from './useSameMinuteText.js';
import { meaningOf, wallOf } from './wall-time.js';

interface Props {
  /** "2026-11-18T14:05"; a missing day or time is empty. */
  wall: string;
  /** Whether the second of two equal local times is meant. */
  isSecondOccurrence: boolean;
  onChange: (wall: string, isSecondOccurrence: boolean) => void;
  now: number;
  zone: string;
  leadMs: number;
  /** Why the time cannot be used. */
  error: string | null;
  /** The day was chosen before, so its month is folded, and no other one is suggested. */
  hasDay?: boolean;
  /** About the time itself: clocks change then. */
  children?: ReactNode;
  /** What the choice means, below the time. */
  summary?: ReactNode;
}

export function SlotPicker({
  wall,
  isSecondOccurrence,
  onChange,
  now,
  zone,
  leadMs,
  error,
  hasDay = false,
  children,
  summary,
}: Props) {
  const [day = '', time = ''] = wall.split('T');
  const earliest = wallOf(now + leadMs, zone).slice(0, 10);
  return (
    <fieldset className={classes.picker}>
      <legend className="unseen">Date and time</legend>
      <Day
        isFolded={hasDay && day >= earliest}
        value={day}
        onChange={(chosen) => onChange(`${chosen}T${time}`, false)}
        today={wallOf(now, zone).slice(0, 10)}
        earliest={earliest}
        tooEarlyText="You can’t schedule in the past."
        firstWeekday={firstDayOf(navigator.language)}
      />
      <div className={classes.side}>
        <TimeField
          id={fieldId('time')}
          value={time}
          onChange={(typed) => onChange(`${day}T${typed}`, false)}
          description={`Your time zone: ${zone.replaceAll('_', ' ')}`}
          error={error}
          classNames={{ description: classes.small ?? '', error: classes.small ?? '' }}
        />
        {children}
        {summary}
        {/* They would give up the day. */}
        {!hasDay && <Presets {...{ now, zone, leadMs, wall, isSecondOccurrence, onChange }} />}
      </div>
    </fieldset>
  );
}

/** A month, or one line until another day is wanted. */
function Day({ isFolded, ...month }: ComponentProps<typeof MonthGrid> & { isFolded: boolean }) {
  const [wasOpened, setOpened] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  // The button that opened it is gone.
  useEffect(() => {
    if (wasOpened) place.current?.querySelector<HTMLElement>('[data-day][aria-pressed=true]')?.focus();
  }, [wasOpened]);
  if (isFolded && !wasOpened)
    return (
      <div className={classes.day}>
        <time dateTime={month.value}>{dayName(month.value)}</time>
        <Button variant="default" size="xs" h={36} onClick={() => setOpened(true)}>
          Change day
        </Button>
      </div>
    );
  return (
    <div ref={place}>
      <MonthGrid {...month} />
    </div>
  );
}

function Presets({
  now,
  zone,
  leadMs,
  wall,
  isSecondOccurrence,
  onChange,
}: Omit<Props, 'error' | 'hasDay' | 'children' | 'summary'>) {
  const format = useTimeFormat();
  return (
    <ul className={classes.presets} aria-label="Suggestions">
      {presetsOf(now, zone, format).map((preset) => {
        const refusal = tooSoon(preset.at, now, leadMs);
        return (
          <li key={preset.name}>
            <button
              type="button"
              className={classes.preset}
              aria-pressed={preset.wall === wall && preset.isSecondOccurrence === isSecondOccurrence}
              aria-disabled={refusal !== null}
              onClick={() => refusal === null && onChange(preset.wall, preset.isSecondOccurrence)}
            >
              {preset.name}
              <span className={classes.small}>
                {refusal ??
                  (preset.name === 'In an hour' ? clock(preset.at) : shortDay(preset.wall.slice(0, 10)))}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

// Now, or at a time: in the viewer's zone, with UTC beside it, and with a notice at hours that clocks skip or repeat.
interface WhenFieldProps {
  form: PublishForm;
  change: (part: Partial<PublishForm>) => void;
  /** The API's error about the time. */
  refusal: string | undefined;
  /** The day was chosen before the sheet opened. */
  hasDay: boolean;
  postId: string;
}

export function WhenField(props: WhenFieldProps) {
  const { form, change } = props;
  return (
    <div className={publishDialogClasses.stack}>
      <Segments
        fullWidth
        aria-label="When"
        value={form.when}
        onChange={(when) => change({ when: when as When })}
        data={[
          { value: 'now', label: 'Publish now' },
          { value: 'schedule', label: 'Schedule for…' },
        ]}
      />
      {form.when === 'schedule' && <Slot {...props} />}
    </div>
  );
}

function Slot({ form, change, refusal, hasDay, postId }: WhenFieldProps) {
  const now = useNow();
  const format = useTimeFormat();
  const zone = zoneName();
  const leadMs = useLeadMs();
  const meaning = meaningOf(form.wall, zone);
  const at = momentOf(form, zone);
  const late = tooSoon(at, now, leadMs);
  const others = useSameMinuteText(form.accountId, at === null || late !== null ? [] : [at], [postId]);
  const timeOf = (wall: string) => showTime(wall.slice(11), format);
  return (
    <SlotPicker
      wall={form.wall}
      isSecondOccurrence={form.isSecondOccurrence}
      onChange={(wall, isSecondOccurrence) => change({ wall, isSecondOccurrence: isSecondOccurrence })}
      now={now}
      zone={zone}
      leadMs={leadMs}
      error={refusal ? `The time ${refusal}.` : late}
      hasDay={hasDay}
      summary={
        <Text size="sm" className={`figures ${publishDialogClasses.goesOut}`} aria-live="polite">
          {at !== null && late === null && (
            <>
              Goes out {at - now < 7 * 86_400_000 ? `in ${duration(at - now)}, ` : ''}
              {dateAndTime(at, now)} your time ({inUtc(at)}). {others}
            </>
          )}
        </Text>
      }
    >
      <div role="status" className={classes.change}>
        {meaning?.kind === 'never' && at !== null && (
          <Note tone="publishing">
            {timeOf(form.wall)} doesn’t exist that day: the clocks go forward. It goes out at{' '}
            {timeOf(meaning.wall)} instead.
          </Note>
        )}
      </div>
      <AmbiguousTimeField
        meaning={meaning}
        isSecond={form.isSecondOccurrence}
        onChange={(isSecondOccurrence) => change({ isSecondOccurrence: isSecondOccurrence })}
        zone={zone}
      />
    </SlotPicker>
  );
}
