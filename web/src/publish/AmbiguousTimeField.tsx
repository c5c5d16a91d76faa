import { Radio } from '@mantine/core';
import { inUtc } from '../text/time.js';
import classes from './PublishDialog.module.css';
import { type Meaning, offsetName } from './wall-time.js';
import '@mantine/core/styles/Radio.layer.css';

interface Props {
  /** Of the chosen local time. */
  meaning: Meaning | null;
  isSecond: boolean;
  onChange: (isSecond: boolean) => void;
  zone: string;
}

/** Which of two equal local times is meant. Shows nothing for a time that comes once. */
export function AmbiguousTimeField({ meaning, isSecond, onChange, zone }: Props) {
  if (meaning?.kind !== 'twice') return null;
  return (
    <Radio.Group
      label="The clocks go back that day, so this time happens twice"
      value={isSecond ? 'second' : 'first'}
      onChange={(pass) => onChange(pass === 'second')}
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
