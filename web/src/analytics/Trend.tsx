import classes from './Analytics.module.css';

const WIDTH = 96;
const HEIGHT = 28;

/** A small line of a figure's course. Decoration: the words beside it say what matters. */
export function Trend({ values, color }: { values: (number | null)[]; color: string }) {
  const known = values.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
  if (known.length < 2) return null;
  const highest = Math.max(...known.map(({ value }) => value), 1);
  const points = known.map(({ value, at }) => {
    const x = (at / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value / highest) * (HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    <svg
      className={classes.trend}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      aria-hidden="true"
      preserveAspectRatio="none"
    >
      <polyline points={points.join(' ')} fill="none" stroke={color} strokeWidth={1.5} />
    </svg>
  );
}
