// A day to filter by: chosen from a month, or none.
import { Button, Input, Popover } from '@mantine/core';
import { CalendarDays } from 'lucide-react';
import { useId, useState } from 'react';
import { dateName, dayText, firstDayOf } from '../text/month.js';
import { MonthGrid } from './MonthGrid.js';
import './overlays.css';

interface Props {
  label: string;
  /** "2026-11-18"; empty if there is none. */
  value: string;
  onChange: (day: string) => void;
  /** Earlier days cannot be chosen, and say so with these words. */
  earliest?: string;
  tooEarlyText?: string;
}

const ANY = 'Any day';

export function DayField({ label, value, onChange, earliest = '', tooEarlyText = '' }: Props) {
  const [isOpen, setOpen] = useState(false);
  const labelId = useId();
  const shownId = useId();
  const choose = (day: string) => {
    onChange(day);
    setOpen(false);
  };
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id: labelId }}>
      <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-start">
        <Popover.Target>
          <Button
            variant="default"
            fullWidth
            justify="space-between"
            fw={400}
            rightSection={<CalendarDays size={15} />}
            aria-labelledby={`${labelId} ${shownId}`}
            onClick={() => setOpen(!isOpen)}
          >
            <span id={shownId}>{value === '' ? ANY : dateName(value)}</span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-labelledby={labelId}>
          <MonthGrid
            value={value}
            onChange={choose}
            today={dayText(new Date())}
            earliest={earliest}
            tooEarlyText={tooEarlyText}
            firstWeekday={firstDayOf(navigator.language)}
          />
          {value !== '' && (
            <Button variant="subtle" color="gray" fullWidth onClick={() => choose('')}>
              {ANY}
            </Button>
          )}
        </Popover.Dropdown>
      </Popover>
    </Input.Wrapper>
  );
}
