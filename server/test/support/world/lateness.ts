// How late scheduled posts start, in figures and as a bar chart.
import type { Attempt } from './due-posts.js';

export interface Lateness {
  /** In milliseconds; below zero if any was early. */
  least: number;
  p50: number;
  p90: number;
  p99: number;
  most: number;
  /** One line per step, with a bar. */
  histogram: string[];
}

const STEPS_MS = [0, 50, 100, 250, 500, 750, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000];
const MAX_BAR = 50;

export function latenessOf(attempts: readonly Pick<Attempt, 'started_at' | 'scheduled_for'>[]): Lateness {
  const late = attempts
    .map(({ started_at, scheduled_for }) => started_at - (scheduled_for ?? Number.NaN))
    .sort((a, b) => a - b);
  const at = (share: number) =>
    late[Math.min(late.length - 1, Math.ceil(share * late.length) - 1)] ?? Number.NaN;
  return {
    least: late[0] ?? Number.NaN,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    most: late.at(-1) ?? Number.NaN,
    histogram: histogramOf(late),
  };
}

function histogramOf(sorted: readonly number[]): string[] {
  const steps = [Number.NEGATIVE_INFINITY, ...STEPS_MS, Number.POSITIVE_INFINITY];
  const counts = steps.slice(1).map((end, i) => ({
    end,
    n: sorted.filter((ms) => ms >= (steps[i] as number) && ms < end).length,
  }));
  const most = Math.max(...counts.map(({ n }) => n), 1);
  return counts
    .filter(({ n }) => n > 0)
    .map(({ end, n }) => {
      const bar = '#'.repeat(Math.ceil((n / most) * MAX_BAR));
      return `${nameOf(end).padStart(10)} ${String(n).padStart(5)} ${bar}`;
    });
}

function nameOf(end: number): string {
  if (end === 0) return 'early';
  return end === Number.POSITIVE_INFINITY ? 'later' : `< ${end / 1000} s`;
}

export const inWords = ({ least, p50, p90, p99, most }: Lateness): string =>
  `p50 ${p50}, p90 ${p90}, p99 ${p99}, from ${least} to ${most} ms`;
