import { Button, Modal, Text, Tooltip } from '@mantine/core';
import { useId } from 'react';
import { usePlatform } from '../api/platform.js';
import { useMay } from '../api/queries.js';
import { useTouch } from '../ui/usePhone.js';
import { Consent } from './Consent.js';
import classes from './PublishDialog.module.css';
import '../ui/overlays.css';
import type { Post } from '@airdate/sdk/core';
import type { Obstacle, When } from './form.js';
import { ObstacleHint } from './ObstacleHint.js';
import { mustNotResend, type Phase } from './sheet-state.js';

/** The consent line and the button, always visible; a disabled button says why, on hover and to screen readers. */
export function SheetFooter({
  isForLater,
  isRescheduled,
  isInbox,
  isBranded,
  obstacle,
  phase,
  onSend,
  onClose,
}: {
  isForLater: boolean;
  isRescheduled: boolean;
  isInbox: boolean;
  isBranded: boolean;
  obstacle: Obstacle | null;
  phase: Phase;
  onSend: () => void;
  onClose: () => void;
}) {
  const id = useId();
  const isPending = phase === 'sending';
  const isDone = mustNotResend(phase);
  const usesTouch = useTouch();
  const mayPublish = useMay('posts:publish');
  const { name } = usePlatform();
  const mayWrite = useMay('posts:write');
  const isAllowed = mayPublish && (mayWrite || !isForLater);
  const what = isAllowed ? obstacle : { reason: 'Your role can’t do this. Ask an editor.' };
  const why = what?.reason ?? null;
  const label = isForLater
    ? isRescheduled
      ? 'Reschedule'
      : 'Schedule'
    : isInbox
      ? 'Send to inbox'
      : 'Publish now';
  return (
    <footer className={classes.footer}>
      <div className={classes.consent}>
        <Consent isBranded={isBranded} />
        <Text size="xs" c="dimmed" className={classes.patience ?? ''}>
          {isInbox
            ? 'The notification may take a few minutes to arrive.'
            : 'It may take a few minutes for the post to process and appear.'}
        </Text>
      </div>
      <div className={classes.actions}>
        <Text size="xs" id={id} className={classes.reason ?? ''} role="status">
          {isPending && !isForLater
            ? `Waiting for ${name} to accept it…`
            : !isDone && what && <ObstacleHint {...what} />}
        </Text>
        <Button variant="default" onClick={onClose} disabled={isPending} className={classes.action ?? ''}>
          {isDone ? 'Close' : 'Cancel'}
        </Button>
        {!isDone && (
          <Tooltip
            label={why}
            // There, the tap that opened the sheet would leave it over the sentence that says the same.
            disabled={why === null || usesTouch}
            events={{ hover: true, focus: true, touch: false }}
          >
            <Button
              className={classes.action ?? ''}
              onClick={onSend}
              aria-describedby={id}
              {...(why === null && !isPending ? {} : { 'data-disabled': true, 'aria-disabled': true })}
            >
              {isPending ? (isForLater ? 'Scheduling…' : 'Publishing…') : label}
            </Button>
          </Tooltip>
        )}
      </div>
    </footer>
  );
}

interface Props {
  when: When;
  /** As it was when the sheet opened: the title stays while it closes. */
  status: Post['status'] | undefined;
}

/** Says what the button of the sheet will do. */
export const SheetHeader = ({ when, status }: Props) => (
  <Modal.Header>
    <Modal.Title>
      {when === 'now' ? 'Publish now' : status === 'scheduled' ? 'Reschedule' : 'Schedule'}
    </Modal.Title>
    <Modal.CloseButton aria-label="Close dialog" />
  </Modal.Header>
);
