import { ActionIcon, Button, SegmentedControl } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { zoneName } from '../ui/time.js';
import classes from './Calendar.module.css';
import type { View } from './range.js';

/** The current period, and the buttons to change it. */
export function Toolbar({
  title,
  view,
  hasViews,
  onStep,
  onToday,
  onView,
}: {
  title: string;
  view: View;
  hasViews: boolean;
  onStep: (by: 1 | -1) => void;
  onToday: () => void;
  onView: (view: View) => void;
}) {
  return (
    <div className={classes.toolbar}>
      <ActionIcon variant="default" size={36} aria-label={`Previous ${view}`} onClick={() => onStep(-1)}>
        <ChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size={36} aria-label={`Next ${view}`} onClick={() => onStep(1)}>
        <ChevronRight size={18} aria-hidden />
      </ActionIcon>
      <Button variant="default" onClick={onToday}>
        Today
      </Button>
      <h2 className={classes.title} aria-live="polite">
        {title}
      </h2>
      <span className={classes.zone} title="All times are in your time zone">
        {zoneName().replaceAll('_', ' ')}
      </span>
      {hasViews && (
        <SegmentedControl
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
