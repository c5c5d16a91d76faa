// A time of day that is typed as people type it, or stepped with the arrow keys.
import { TextInput, type TextInputProps } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { readTime, showTime, stepTime } from '../text/typed-time.js';
import { useTimeFormat } from './Time.js';

const STEP_MINUTES = 15;

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** "14:05", or empty. */
  value: string;
  /** Empty when what is typed is no time. */
  onChange: (time: string) => void;
}

export function TimeField({ value, onChange, error, ...props }: Props) {
  const format = useTimeFormat();
  const [typed, setTyped] = useState<string | null>(null);
  const [isFocused, setFocused] = useState(false);
  const before = useRef(value);
  // What was typed stays until it is read; a time chosen elsewhere replaces it.
  const isTyping = typed !== null && (value === '' || readTime(typed, format, before.current) === value);
  const example = showTime('14:30', format);
  const wrong = typed?.trim() ?? '';
  const mistake =
    wrong === ''
      ? `Type a time such as ${example}.`
      : `${wrong} is not a time. Write it like ${showTime('18:00', format)}.`;
  const step = (minutes: number) => {
    setTyped(null);
    onChange(stepTime(value === '' ? '12:00' : value, minutes));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && value !== '') setTyped(null);
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    step(event.key === 'ArrowUp' ? STEP_MINUTES : -STEP_MINUTES);
  };
  return (
    <TextInput
      label="Time"
      autoComplete="off"
      placeholder={example}
      {...props}
      value={isTyping ? typed : showTime(value, format)}
      // Half a time is no mistake yet.
      error={value === '' && !isFocused ? mistake : error}
      onFocus={() => {
        setFocused(true);
        before.current = value;
      }}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(readTime(currentTarget.value, format, before.current) ?? '');
      }}
      onKeyDown={onKeyDown}
      onBlur={() => {
        setFocused(false);
        if (value !== '') setTyped(null);
      }}
    />
  );
}
