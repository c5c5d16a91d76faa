import { Button, Group, Modal, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import { ReconnectButton } from '../accounts/ReconnectButton.js';
import { usePhone } from '../ui/usePhone.js';
import classes from './Editor.module.css';
import type { Obstacle } from './obstacle.js';
import '../ui/overlays.css';
import { useBlocker } from '@tanstack/react-router';
import { Check, CloudOff } from 'lucide-react';
import { messageOf } from '../api/client.js';
import { goToConflict } from './ConflictNote.js';
import { type Draft, useDraft } from './draft.js';
import type { DraftView } from './draft-state.js';

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

/** Whether the text is saved. Announced to screen readers when it changes. */
export function SavedIndicator({ draft, mayWrite }: { draft: Draft; mayWrite: boolean }) {
  const view = useDraft(draft);
  const { saving } = view;
  const isTrouble = TROUBLES.includes(saving);
  return (
    <span className={classes.saved} data-trouble={isTrouble || undefined}>
      <span role="status" className={classes.savedWords} title={isTrouble ? reasonOf(view) : undefined}>
        {saving === 'saved' && <Check size={14} />}
        {isTrouble && <CloudOff size={14} />}
        {WORDS[saving]}
      </span>
      {mayWrite && (saving === 'unreachable' || saving === 'refused') && (
        <Button size="compact-xs" variant="default" onClick={() => draft.retry()}>
          Retry
        </Button>
      )}
      {saving === 'conflict' && (
        <Button size="compact-xs" variant="default" onClick={goToConflict}>
          Choose
        </Button>
      )}
    </span>
  );
}

const TROUBLES: readonly DraftView['saving'][] = [
  ...(['unreachable', 'refused', 'held', 'unanswered', 'conflict', 'ended'] as const),
];

const WORDS: Record<DraftView['saving'], string> = {
  untouched: '',
  saved: 'Saved',
  saving: 'Saving…',
  unreachable: 'Not saved',
  refused: 'Not saved',
  held: 'Not saved: check the marked field',
  unanswered: 'Not saved yet',
  conflict: 'Not saved',
  ended: 'Not saved',
};

const reasonOf = ({ saving, problem, mistakes }: DraftView): string =>
  problem === undefined
    ? Object.values(mistakes).join(' ')
    : `${messageOf(problem)}${saving === 'unreachable' ? ' Your text is safe in this browser.' : ''}`;

/** The restored text is asked about again on the next visit. */
const isLosable = (draft: Draft): boolean => draft.hasUnsaved() && draft.view().saving !== 'unanswered';

/** Leaving saves unsaved text, and asks only when that fails. Uploads continue on every screen. */
export function LeaveGuard({ draft }: { draft: Draft }) {
  const blocker = useBlocker({
    shouldBlockFn: async () => isLosable(draft) && !(await draft.flush()),
    enableBeforeUnload: () => isLosable(draft),
    withResolver: true,
  });
  const { problem, mistakes } = useDraft(draft);
  const said = [...new Set(Object.values(mistakes))].join(' ');
  const reason = problem === undefined ? said : messageOf(problem);
  const isAsking = blocker.status === 'blocked';
  return (
    <Modal opened={isAsking} onClose={() => blocker.reset?.()} title="Some text isn’t saved">
      <Text size="sm">
        {reason} If you leave, your text stays in this browser and will be here when you come back.
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => blocker.proceed?.()}>
          Leave
        </Button>
        <Button data-autofocus onClick={() => blocker.reset?.()}>
          Stay
        </Button>
      </Group>
    </Modal>
  );
}
