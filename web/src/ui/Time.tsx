import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { dateAndTime, inFull, relative } from '../text/time.js';
import { onTimeFormat, type TimeFormat, timeFormat } from '../text/time-format.js';

/** For whatever shows times: it is drawn again when the person prefers another format. */
export const useTimeFormat = (): TimeFormat => useSyncExternalStore(onTimeFormat, timeFormat);

/** The current time, coarse enough that a page of times costs nothing. */
export function useNow(everyMs = 15_000): number {
  useTimeFormat();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  // Between two ticks the current time must not be before an event that has just happened.
  return Math.max(now, Date.now());
}

export function Time({ at, isAbsolute = false }: { at: string; isAbsolute?: boolean }) {
  const now = useNow();
  return <Moment at={at}>{isAbsolute ? dateAndTime(at, now) : relative(at, now)}</Moment>;
}

/** Words about a moment, with its full date and time on hover. */
export const Moment = ({ at, children }: { at: string; children: ReactNode }) => (
  <time dateTime={at} title={inFull(at)} className="figures">
    {children}
  </time>
);
