import { Button, Tooltip } from '@mantine/core';
import { useId } from 'react';
import { ReconnectButton } from '../accounts/ReconnectButton.js';
import { usePhone } from '../ui/usePhone.js';
import classes from './Editor.module.css';
import type { Obstacle } from './obstacle.js';
import '../ui/overlays.css';

interface Props {
  /** Why it cannot be published yet, if so. */
  obstacle: Obstacle | undefined;
  /** A free time was chosen in the calendar, so scheduling is the primary action. */
  isForSlot: boolean;
  onOpen: (when: 'now' | 'schedule') => void;
}

/** The next step. One of the two is the primary one. On a phone, which has no tooltips, the reason is above them. */
export function EditorActions({ obstacle, isForSlot, onOpen }: Props) {
  const { reason, connect } = obstacle ?? {};
  const reasonId = useId();
  const isPhone = usePhone();
  const button = (when: 'now' | 'schedule', label: string, isPrimary: boolean) => (
    <Tooltip label={reason} disabled={reason === undefined || isPhone}>
      <Button
        variant={isPrimary ? 'filled' : 'default'}
        {...(reason === undefined ? {} : { 'data-disabled': true })}
        aria-disabled={reason !== undefined}
        aria-describedby={reason === undefined ? undefined : reasonId}
        onClick={() => reason === undefined && onOpen(when)}
      >
        {label}
      </Button>
    </Tooltip>
  );
  return (
    <div className={classes.actions}>
      {reason !== undefined && (
        <span id={reasonId} className={isPhone ? classes.obstacle : 'unseen'}>
          {reason}
        </span>
      )}
      {button('schedule', 'Schedule…', isForSlot && !connect)}
      {connect ? (
        <ReconnectButton
          account={{ id: connect.id, username: connect.username ?? 'the account' }}
          label={connect.isListed ? 'Reconnect' : 'Connect again'}
        />
      ) : (
        button('now', 'Publish…', !isForSlot)
      )}
    </div>
  );
}
