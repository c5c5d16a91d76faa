import { Button, Tooltip, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import { ReconnectButton } from '../accounts/ReconnectButton.js';
import { usePhone } from '../ui/usePhone.js';
import classes from './Editor.module.css';
import type { Obstacle } from './obstacle.js';
import '../ui/overlays.css';

interface Props {
  postId: string | undefined;
  /** Why it cannot be published yet, if so. */
  obstacle: Obstacle | undefined;
  /** A free time was chosen in the calendar, so scheduling is the primary action. */
  isForSlot: boolean;
  onOpen: (when: 'now' | 'schedule') => void;
  wasTried: boolean;
  /** It was tried although it cannot be published yet. */
  onTry: () => void;
  onAddMedia: () => void;
}

/** The next step. One of the two is the primary one. On a phone, which has no tooltips, the reason is above them. */
export function EditorActions(props: Props) {
  const { postId, obstacle, isForSlot, wasTried, onOpen, onTry, onAddMedia } = props;
  const { reason, connect, lacksMedia } = obstacle ?? {};
  const reasonId = useId();
  const isPhone = usePhone();
  const button = (when: 'now' | 'schedule', label: string, isPrimary: boolean) => (
    <Tooltip label={reason} disabled={reason === undefined || isPhone}>
      <Button
        variant={isPrimary ? 'filled' : 'default'}
        {...(reason === undefined ? {} : { 'data-disabled': true })}
        aria-disabled={reason !== undefined}
        aria-describedby={reason === undefined ? undefined : reasonId}
        onClick={() => (reason === undefined ? onOpen(when) : onTry())}
      >
        {label}
      </Button>
    </Tooltip>
  );
  return (
    <div className={classes.actions}>
      {reason !== undefined && (
        <span id={reasonId} className={isPhone ? classes.obstacle : 'unseen'}>
          {isPhone && lacksMedia ? (
            <UnstyledButton
              className={classes.answer ?? ''}
              data-tried={wasTried || undefined}
              onClick={onAddMedia}
            >
              {reason}
            </UnstyledButton>
          ) : (
            reason
          )}
        </span>
      )}
      {button('schedule', 'Schedule…', isForSlot && !connect)}
      {connect ? (
        <ReconnectButton
          account={{ id: connect.id, username: connect.username ?? 'the account' }}
          label={connect.isListed ? 'Reconnect' : 'Connect again'}
          postId={postId}
        />
      ) : (
        button('now', 'Publish…', !isForSlot)
      )}
    </div>
  );
}
