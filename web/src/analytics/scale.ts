// Where the lines of a chart's grid are, and which of its days are named.

const MAX_STEPS = 5;
const MAX_NAMES = 8;

/** Round numbers from 0 to at least `highest`, evenly apart. None of them is a fraction. */
export function gridLines(highest: number): number[] {
  const least = Math.max(highest, 1) / MAX_STEPS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((size) => size >= least) ?? least);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, n) => n * step);
}

/** The days with a name below them, evenly apart. */
export function namedDays(count: number): number[] {
  const step = Math.ceil(count / MAX_NAMES);
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}

/** The middle of a day, in percent of the chart's width. */
export const middleOf = (day: number, count: number): number => round(((day + 0.5) / count) * 100);

/** How far down a value is, in percent of the chart's height. */
export const depthOf = (value: number, top: number): number => round(100 - (value / top) * 100);

const round = (percent: number): number => Math.round(percent * 100) / 100;
