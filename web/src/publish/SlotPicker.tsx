// A day from a month, a time as it is typed, and the times that people often choose.

import { firstDayOf, shortDay } from '../text/month.js';
import { clock } from '../text/time.js';
import { MonthGrid } from '../ui/MonthGrid.js';
import { useTimeFormat } from '../ui/Time.js';
import { TimeField } from '../ui/TimeField.js';
import { tooSoon } from './form.js';
import { presetsOf } from './presets.js';
import classes from './SlotPicker.module.css';
import { wallOf } from './wall-time.js';

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
}

export function SlotPicker({ wall, isSecondOccurrence, onChange, now, zone, leadMs, error }: Props) {
  const [day = '', time = ''] = wall.split('T');
  return (
    <fieldset className={classes.picker}>
      <legend className="unseen">Date and time</legend>
      <MonthGrid
        value={day}
        onChange={(chosen) => onChange(`${chosen}T${time}`, false)}
        today={wallOf(now, zone).slice(0, 10)}
        earliest={wallOf(now + leadMs, zone).slice(0, 10)}
        whyNot="You can’t schedule in the past."
        firstWeekday={firstDayOf(navigator.language)}
      />
      <div className={classes.side}>
        <TimeField
          value={time}
          onChange={(typed) => onChange(`${day}T${typed}`, false)}
          description={`Your time zone: ${zone.replaceAll('_', ' ')}`}
          error={error}
          classNames={{ description: classes.small ?? '', error: classes.small ?? '' }}
        />
        <Presets {...{ now, zone, leadMs, wall, isSecondOccurrence, onChange }} />
      </div>
    </fieldset>
  );
}

function Presets({ now, zone, leadMs, wall, isSecondOccurrence, onChange }: Omit<Props, 'error'>) {
  const format = useTimeFormat();
  return (
    <ul className={classes.presets} aria-label="Suggestions">
      {presetsOf(now, zone, format).map((preset) => {
        const whyNot = tooSoon(preset.at, now, leadMs);
        return (
          <li key={preset.name}>
            <button
              type="button"
              className={classes.preset}
              aria-pressed={preset.wall === wall && preset.isSecondOccurrence === isSecondOccurrence}
              aria-disabled={whyNot !== null}
              onClick={() => whyNot === null && onChange(preset.wall, preset.isSecondOccurrence)}
            >
              {preset.name}
              <span className={classes.small}>
                {whyNot ??
                  (preset.name === 'In an hour' ? clock(preset.at) : shortDay(preset.wall.slice(0, 10)))}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
