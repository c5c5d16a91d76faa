// The charts in sentences: as text alternatives for screen readers, and as one-line summaries.

import { lowerFirst } from '../text/api-text.js';
import { count, number } from '../text/numbers.js';
import { formatReason } from '../text/reason-names.js';
import { duration } from '../text/time.js';
import type { Day, Timeline } from './queries.js';
import { isBusy } from './series.js';

const MAX_REASONS = 2;

/** "3 of 41 attempts failed: 2 × unsupported image size, 1 × too many requests." */
export function summarizeAttempts({ totals, failures }: Timeline): string {
  if (totals.dispatches === 0) return 'No attempts in this period.';
  const unknown =
    totals.unknown > 0 ? ` ${count(totals.unknown, 'outcome is', 'outcomes are')} unknown.` : '';
  if (totals.failed === 0) return `None of ${count(totals.dispatches, 'attempt')} failed.${unknown}`;
  // One more takes no more space than "1 × other".
  const most = failures.length === MAX_REASONS + 1 ? failures.length : MAX_REASONS;
  const named = failures.slice(0, most);
  const shown = named.map(({ code, count }) => `${number(count)} × ${lowerFirst(formatReason(code))}`);
  const others = failures.slice(most).reduce((total, failure) => total + failure.count, 0);
  const reasons = others > 0 ? [...shown, `${number(others)} × other`] : shown;
  const why = reasons.length > 0 ? `: ${reasons.join(', ')}` : '';
  return `${number(totals.failed)} of ${count(totals.dispatches, 'attempt')} failed${why}.${unknown}`;
}

export function summarizePosts(days: Day[]): string {
  const created = sum(days, (day) => day.posts_created);
  const published = sum(days, (day) => day.posts_published);
  return `${count(created, 'post')} created, ${number(published)} sent.`;
}

/** Percentiles of days cannot be added up, so the worst day is named. */
export function summarizeLateness(days: Day[]): string {
  const typical = ({ lateness_p50_ms }: Day) => lateness_p50_ms ?? 0;
  const slowest = ({ lateness_p99_ms }: Day) => lateness_p99_ms ?? 0;
  const known = days.filter(({ lateness_p99_ms }) => lateness_p99_ms !== null);
  const busy = known.filter(isBusy);
  const of = busy.length > 0 ? slowest : typical;
  const worst = (busy.length > 0 ? busy : known).toSorted((a, b) => of(b) - of(a))[0];
  if (!worst) return 'No scheduled posts were due in this period.';
  const words = `Slowest day, ${dayLabel(worst.date)}: typically ${delay(typical(worst))} late`;
  return busy.length > 0 ? `${words}, at most ${delay(slowest(worst))} for 99% of posts.` : `${words}.`;
}

/** The values of an axis in one unit, that of its highest. */
export const delaysUpTo =
  (top: number) =>
  (ms: number): string => {
    if (top < 1_000) return `${ms} ms`;
    if (top < 60_000) return `${ms / 1_000} s`;
    return ms === 0 ? '0 min' : duration(ms);
  };

export const delay = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : duration(ms);
};

/** "15 Nov". The days are those of UTC. */
export const dayLabel = (date: string): string => DAY.format(new Date(date));

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const sum = (days: Day[], of: (day: Day) => number): number =>
  days.reduce((total, day) => total + of(day), 0);
