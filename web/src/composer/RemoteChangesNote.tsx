// Another member, or another tab, has changed the post that is on the screen.
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Draft } from './draft.js';
import { FIELD_LABELS, shownText } from './field-text.js';
import type { Field } from './fields.js';
import classes from './RemoteChangesNote.module.css';
import { isQuiet, type RemoteChanges } from './texts.js';

/** Always there, or screen readers would miss the first words. */
export function RemoteChangesNote({ draft, remote }: { draft: Draft; remote: RemoteChanges }) {
  const { replaced, waiting } = remote;
  const [isOpen, setOpen] = useState(false);
  const fields = Object.keys(replaced) as Field[];
  const isNothing = isQuiet(remote);
  const end = () => {
    draft.send({ kind: 'remote_seen' });
    setOpen(false);
    // The buttons are gone, and the focus with them.
    document.getElementById(`field-${fields[0]}`)?.focus();
  };
  const putBack = () => {
    for (const field of fields) draft.set(field, replaced[field] ?? '');
    end();
  };
  return (
    <section
      className={isNothing ? 'unseen' : classes.note}
      {...(isNothing ? { 'data-quiet': true } : { 'aria-label': 'Changed elsewhere' })}
    >
      <div className={classes.top}>
        <div role="status">
          {fields.length > 0 && (
            <p>{`${namesOf(fields)} just changed elsewhere. You see the new version.`}</p>
          )}
          {waiting.length > 0 && (
            <p>{`${namesOf(waiting)} just changed elsewhere. Leave the field to see the new version.`}</p>
          )}
        </div>
        {fields.length > 0 && (
          <Group gap="xs">
            <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              See what it was
            </Button>
            <Button size="xs" variant="default" onClick={end}>
              OK
            </Button>
          </Group>
        )}
      </div>
      {isOpen && fields.length > 0 && (
        <div className={classes.before}>
          <dl>
            {fields.map((field) => (
              <div key={field}>
                <dt>{FIELD_LABELS[field]} before</dt>
                <dd dir="auto">{shownText(field, replaced[field] ?? '', [], []) || <em>Empty</em>}</dd>
              </div>
            ))}
          </dl>
          <Button size="xs" variant="default" onClick={putBack}>
            Put it back
          </Button>
        </div>
      )}
    </section>
  );
}

/** "Title and caption were". */
function namesOf(fields: readonly Field[]): string {
  const names = fields.map((field, i) => (i === 0 ? FIELD_LABELS[field] : FIELD_LABELS[field].toLowerCase()));
  const last = names.pop() ?? '';
  const all = names.length === 0 ? last : `${names.join(', ')} and ${last}`;
  return fields.length > 1 || fields[0] === 'hashtags' ? `${all} were` : `${all} was`;
}
