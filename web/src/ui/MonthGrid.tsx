// A month to choose a day from, with the mouse or the keyboard: arrows, Home and End, Page Up and Page Down.

import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { dayName, edgeOfWeek, monthName, plusDays, plusMonths, weekdayName, weeksOf } from '../text/month.js';
import { IconButton } from './IconButton.js';
import classes from './MonthGrid.module.css';

interface Props {
  /** "2026-11-18"; empty while no day is chosen. */
  value: string;
  onChange: (day: string) => void;
  today: string;
  /** Earlier days cannot be chosen, and say so with these words. Empty: all can. */
  earliest: string;
  tooEarlyText: string;
  /** 0 is Sunday. */
  firstWeekday: number;
}

export function MonthGrid({ value, onChange, today, earliest, tooEarlyText, firstWeekday }: Props) {
  const [at, setAt] = useState(value || (earliest > today ? earliest : today));
  const [refused, setRefused] = useState<string | null>(null);
  // A day that was chosen elsewhere is shown.
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    if (value !== '') setAt(value);
  }
  const table = useRef<HTMLTableElement>(null);
  const isByKey = useRef(false);
  useEffect(() => {
    if (isByKey.current) table.current?.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus();
    isByKey.current = false;
  }, [at]);
  const titleId = useId();
  const weeks = weeksOf(at, firstWeekday);

  const choose = (day: string) => {
    setAt(day);
    setRefused(day < earliest ? day : null);
    if (day >= earliest) onChange(day);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = dayAfterKey(event, at, firstWeekday);
    if (to === undefined) return;
    event.preventDefault();
    isByKey.current = true;
    setAt(to);
  };
  const isFirst = at.slice(0, 7) <= earliest.slice(0, 7);
  const showMonth = (months: number) => setAt(plusMonths(at, months));
  return (
    <div className={classes.month}>
      <div className={classes.head}>
        <MonthButton label="Previous month" isOff={isFirst} onClick={() => showMonth(-1)} />
        <strong id={titleId} aria-live="polite">
          {monthName(at)}
        </strong>
        <MonthButton label="Next month" onClick={() => showMonth(1)} />
      </div>
      <table ref={table} className={classes.table} aria-labelledby={titleId}>
        <thead>
          <tr>
            {Array.from({ length: 7 }, (_, i) => plusDays(edgeOfWeek(at, firstWeekday, false), i)).map(
              (day) => (
                <th key={weekdayName(day)} scope="col" abbr={weekdayName(day)}>
                  {weekdayName(day).slice(0, 2)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a fixed grid
            <tr key={row}>
              {week.map((day, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same
                <td key={column}>
                  {day && (
                    <button
                      type="button"
                      className={classes.day}
                      data-day={day}
                      tabIndex={day === at ? 0 : -1}
                      aria-pressed={day === value}
                      aria-current={day === today ? 'date' : undefined}
                      aria-disabled={day < earliest}
                      aria-label={day < earliest ? `${dayName(day)}. ${tooEarlyText}` : dayName(day)}
                      title={day < earliest ? tooEarlyText : undefined}
                      onFocus={() => setAt(day)}
                      onClick={() => choose(day)}
                      onKeyDown={onKeyDown}
                    >
                      {Number(day.slice(8))}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className={classes.refused} role="status">
        {refused !== null && tooEarlyText}
      </p>
    </div>
  );
}

function dayAfterKey({ key, shiftKey }: KeyboardEvent, at: string, firstWeekday: number): string | undefined {
  switch (key) {
    case 'ArrowLeft':
      return plusDays(at, -1);
    case 'ArrowRight':
      return plusDays(at, 1);
    case 'ArrowUp':
      return plusDays(at, -7);
    case 'ArrowDown':
      return plusDays(at, 7);
    case 'Home':
      return edgeOfWeek(at, firstWeekday, false);
    case 'End':
      return edgeOfWeek(at, firstWeekday, true);
    case 'PageUp':
      return plusMonths(at, shiftKey ? -12 : -1);
    case 'PageDown':
      return plusMonths(at, shiftKey ? 12 : 1);
    default:
      return undefined;
  }
}

function MonthButton({
  label,
  isOff = false,
  onClick,
}: {
  label: string;
  isOff?: boolean;
  onClick: () => void;
}) {
  const Icon = label.startsWith('Next') ? ChevronRight : ChevronLeft;
  return (
    <IconButton
      label={label}
      icon={Icon}
      iconSize={18}
      size="md"
      className={classes.turn ?? ''}
      aria-disabled={isOff}
      data-off={isOff || undefined}
      onClick={() => isOff || onClick()}
    />
  );
}
