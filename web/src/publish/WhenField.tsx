// Now, or at a time: in the viewer's zone, with UTC beside it, and with a notice at hours that clocks skip or repeat.
import { Text } from '@mantine/core';
import { useLeadMs } from '../api/queries.js';
import { dateAndTime, duration, inUtc, zoneName } from '../text/time.js';
import { showTime } from '../text/typed-time.js';
import { Segments } from '../ui/Segments.js';
import { useNow, useTimeFormat } from '../ui/Time.js';
import { AmbiguousTimeField } from './AmbiguousTimeField.js';
import { momentOf, type PublishForm, tooSoon, type When } from './form.js';
import classes from './PublishDialog.module.css';
import { SlotPicker } from './SlotPicker.js';
import { meaningOf } from './wall-time.js';

interface Props {
  form: PublishForm;
  change: (part: Partial<PublishForm>) => void;
  /** The API's error about the time. */
  refusal: string | undefined;
}

export function WhenField({ form, change, refusal }: Props) {
  return (
    <div className={classes.stack}>
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
      {form.when === 'schedule' && <Slot form={form} change={change} refusal={refusal} />}
    </div>
  );
}

function Slot({ form, change, refusal }: Props) {
  const now = useNow();
  const format = useTimeFormat();
  const zone = zoneName();
  const leadMs = useLeadMs();
  const meaning = meaningOf(form.wall, zone);
  const at = momentOf(form, zone);
  const late = tooSoon(at, now, leadMs);
  const timeOf = (wall: string) => showTime(wall.slice(11), format);
  return (
    <>
      <SlotPicker
        wall={form.wall}
        isSecondOccurrence={form.isSecondOccurrence}
        onChange={(wall, isSecondOccurrence) => change({ wall, isSecondOccurrence: isSecondOccurrence })}
        now={now}
        zone={zone}
        leadMs={leadMs}
        error={refusal ? `The time ${refusal}.` : late}
      />
      <AmbiguousTimeField
        meaning={meaning}
        isSecond={form.isSecondOccurrence}
        onChange={(isSecondOccurrence) => change({ isSecondOccurrence: isSecondOccurrence })}
        zone={zone}
      />
      <Text size="sm" className={`figures ${classes.goesOut}`} aria-live="polite">
        {meaning?.kind === 'never' && at !== null && (
          <>
            {timeOf(form.wall)} doesn’t exist that day: the clocks go forward. It goes out at{' '}
            {timeOf(meaning.wall)} instead.{' '}
          </>
        )}
        {at !== null && late === null && (
          <>
            Goes out {at - now < 7 * 86_400_000 ? `in ${duration(at - now)}, ` : ''}
            {dateAndTime(at, now)} your time ({inUtc(at)}).
          </>
        )}
      </Text>
    </>
  );
}
