import { useId } from 'react';
import classes from './Segments.module.css';

interface Props<Value extends string> {
  'aria-label': string;
  value: Value;
  data: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
  disabled?: boolean;
  fullWidth?: boolean;
}

/** One of a few, side by side. Drawn by styles alone: Mantine's control measures itself, which lays out the page again. */
export function Segments<Value extends string>(props: Props<Value>) {
  const { value, data, onChange, disabled = false, fullWidth = false } = props;
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={props['aria-label']}
      className={classes.segments}
      data-wide={fullWidth || undefined}
    >
      {data.map((each) => (
        <label key={each.value} className={classes.segment}>
          <input
            type="radio"
            name={name}
            className="unseen"
            value={each.value}
            checked={each.value === value}
            disabled={disabled}
            onChange={() => onChange(each.value)}
          />
          {each.label}
        </label>
      ))}
    </div>
  );
}
