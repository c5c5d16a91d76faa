// Now, or at a time: in the viewer's zone, with UTC beside it, and with a notice at hours that clocks skip or repeat.
import { Radio, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useLeadMs } from '../api/permissions.js';
import { useNow } from '../ui/Time.js';
import { dateAndTime, duration, inUtc, zoneName } from '../ui/time.js';
import { momentOf, type PublishForm, tooSoon, type When } from './form.js';
import classes from './PublishDialog.module.css';
import { type Meaning, meaningOf, offsetName, wallOf } from './wall-time.js';

interface Props {
  form: PublishForm;
  change: (part: Partial<PublishForm>) => void;
  /** The API's error about the time. */
  refusal: string | undefined;
}

export function WhenField({ form, change, refusal }: Props) {
  return (
    <div className={classes.stack}>
      <SegmentedControl
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
  const zone = zoneName();
  const meaning = meaningOf(form.wall, zone);
  const at = momentOf(form, zone);
  const late = tooSoon(at, now, useLeadMs());
  return (
    <>
      <TextInput
        classNames={{ description: classes.description ?? '', error: classes.description ?? '' }}
        type="datetime-local"
        label="Date and time"
        description={`Your time zone: ${zone.replaceAll('_', ' ')}`}
        min={wallOf(now, zone)}
        value={form.wall}
        onChange={({ currentTarget }) => change({ wall: currentTarget.value, isSecondPass: false })}
        error={refusal ? `The time ${refusal}.` : (late ?? (form.wall === '' && 'Choose a date and time.'))}
      />
      {meaning?.kind === 'twice' && (
        <TwicePass meaning={meaning} isSecond={form.isSecondPass} change={change} zone={zone} />
      )}
      <Text size="sm" className="figures" aria-live="polite">
        {meaning?.kind === 'never' && at !== null && (
          <>
            {form.wall.slice(11)} doesn’t exist that day: the clocks go forward. It goes out at{' '}
            {meaning.wall.slice(11)} instead.{' '}
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

function TwicePass({
  meaning,
  isSecond,
  change,
  zone,
}: {
  meaning: Extract<Meaning, { kind: 'twice' }>;
  isSecond: boolean;
  change: Props['change'];
  zone: string;
}) {
  return (
    <Radio.Group
      label="The clocks go back that day, so this time happens twice"
      value={isSecond ? 'second' : 'first'}
      onChange={(pass) => change({ isSecondPass: pass === 'second' })}
    >
      <div className={classes.choices}>
        <Radio
          value="first"
          label={`The first time (${offsetName(meaning.at, zone)}, ${inUtc(meaning.at)})`}
        />
        <Radio
          value="second"
          label={`The second time (${offsetName(meaning.again, zone)}, ${inUtc(meaning.again)})`}
        />
      </div>
    </Radio.Group>
  );
}
