import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { accountsQuery, labelsQuery } from '../api/queries.js';
import { showActionNotice } from '../ui/action-notice.js';
import { CopyText } from '../ui/CopyText.js';
import classes from './ConflictNote.module.css';
import { splitByUse } from './conflict-undo.js';
import type { Draft } from './draft.js';
import type { TextConflict } from './draft-state.js';
import { FIELD_LABELS, shownText } from './field-text.js';
import type { Field } from './fields.js';

const ID = 'conflict';

/**
 * The note never takes the focus by itself: its reader may be in the middle of a word, and the next space would press a button.
 * The marked fields and the header lead here.
 */
export const goToConflict = (): void => document.getElementById(ID)?.focus();

/** The text was changed elsewhere while the member wrote: both texts, and the choice between them. */
export function ConflictNote({ draft, conflicts }: { draft: Draft; conflicts: readonly TextConflict[] }) {
  const titleId = useId();
  const accounts = useQuery(accountsQuery).data ?? [];
  const labels = useQuery(labelsQuery).data ?? [];
  const shown = (field: Field, text: string): string => shownText(field, text, accounts, labels);
  const choose = (isMine: boolean) => {
    draft.send({ kind: 'conflict_answered', isMine });
    // The buttons are gone, and the focus with them.
    document.getElementById(`field-${conflicts[0]?.field}`)?.focus();
    if (!isMine) offerBack(draft, conflicts, shown);
  };
  return (
    <section id={ID} tabIndex={-1} className={classes.note} aria-labelledby={titleId}>
      <div role="alert">
        <h2 id={titleId} className={classes.title}>
          This post was changed elsewhere while you were writing
        </h2>
        <p className={classes.lead}>
          Nothing has been overwritten. Compare both versions and choose which to keep.
        </p>
      </div>
      {conflicts.map(({ field, mine, theirs }) => (
        <div key={field} className={classes.pair}>
          <Version name={`${FIELD_LABELS[field]}: saved version`} text={shown(field, theirs)} />
          <Version name={`${FIELD_LABELS[field]}: your version`} text={shown(field, mine)} />
        </div>
      ))}
      <div className={classes.choice}>
        <Button variant="default" onClick={() => choose(false)}>
          Use theirs
        </Button>
        <Button variant="default" onClick={() => choose(true)}>
          Keep mine
        </Button>
      </div>
    </section>
  );
}

function Version({ name, text }: { name: string; text: string }) {
  const id = useId();
  return (
    <div className={classes.version}>
      <div className={classes.name}>
        <h3 id={id}>{name}</h3>
        {text !== '' && <CopyText value={text} what={name.toLowerCase()} />}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, so the keyboard must be able to reach it */}
      <section className={classes.text} tabIndex={0} aria-labelledby={id} dir="auto">
        {text === '' ? <em>Empty</em> : text}
      </section>
    </div>
  );
}

/** Taking theirs can be undone. What was typed since stays, and the replaced text can be copied. */
function offerBack(
  draft: Draft,
  conflicts: readonly TextConflict[],
  shown: (field: Field, text: string) => string,
): void {
  const undo = () => {
    const { untouched, typedIn } = splitByUse(conflicts, draft.view().fields);
    for (const { field, mine } of untouched) draft.set(field, mine);
    for (const { field, mine } of typedIn) offerCopy(field, shown(field, mine));
  };
  showActionNotice({
    id: `conflict-${draft.key}`,
    text: 'Your text was replaced.',
    button: { label: 'Undo', onClick: undo },
  });
}

function offerCopy(field: Field, text: string): void {
  const name = FIELD_LABELS[field];
  notifications.show({
    color: 'gray',
    autoClose: false,
    title: `${name} was changed again, so it stays`,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>You can copy your earlier version.</span>
        <CopyText value={text} what={`your earlier ${name.toLowerCase()}`} />
      </Group>
    ),
  });
}
