import { Button } from '@mantine/core';
import { Check, CloudOff } from 'lucide-react';
import { messageOf } from '../api/client.js';
import { goToConflict } from './ConflictNote.js';
import { type Draft, useDraft } from './draft.js';
import type { DraftView } from './draft-state.js';
import classes from './Editor.module.css';

/** Whether the text is saved. Announced to screen readers when it changes. */
export function SavedIndicator({ draft, mayWrite }: { draft: Draft; mayWrite: boolean }) {
  const view = useDraft(draft);
  const { saving } = view;
  const isTrouble = TROUBLES.includes(saving);
  return (
    <span className={classes.saved} data-trouble={isTrouble || undefined}>
      <span role="status" className={classes.savedLabel} title={isTrouble ? reasonOf(view) : undefined}>
        {saving === 'saved' && <Check size={14} />}
        {isTrouble && <CloudOff size={14} />}
        {LABELS[saving]}
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

const LABELS: Record<DraftView['saving'], string> = {
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
