import { ActionIcon, Button } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { zoneName } from '../text/time.js';
import { Segments } from '../ui/Segments.js';
import classes from './Calendar.module.css';
import type { View } from './range.js';

/** The current period, the buttons to change it, and what narrows it down. */
export function Toolbar({
  title,
  view,
  hasViews,
  onStep,
  onToday,
  onView,
  children,
}: {
  title: string;
  view: View;
  hasViews: boolean;
  onStep: (by: 1 | -1) => void;
  onToday: () => void;
  onView: (view: View) => void;
  children: ReactNode;
}) {
  const size = hasViews ? 36 : 44;
  return (
    <div className={classes.toolbar}>
      <ActionIcon variant="default" size={size} aria-label={`Previous ${view}`} onClick={() => onStep(-1)}>
        <ChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size={size} aria-label={`Next ${view}`} onClick={() => onStep(1)}>
        <ChevronRight size={18} aria-hidden />
      </ActionIcon>
      <Button variant="default" h={size} onClick={onToday}>
        Today
      </Button>
      <h2
        className={classes.title}
        aria-live="polite"
        title={`All times are in your time zone, ${zoneName().replaceAll('_', ' ')}`}
      >
        {title}
      </h2>
      <span className={classes.zone} title="All times are in your time zone">
        {zoneName().replaceAll('_', ' ')}
      </span>
      {children}
      {hasViews && (
        <Segments
          aria-label="View"
          value={view}
          onChange={(next) => onView(next as View)}
          data={[
            { value: 'month', label: 'Month' },
            { value: 'week', label: 'Week' },
          ]}
        />
      )}
    </div>
  );
}
