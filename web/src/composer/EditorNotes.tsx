import type { Post } from '@airdate/sdk/core';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePlatform } from '../api/platform.js';
import { isSignedInQuery } from '../api/queries.js';
import { personOfPage } from '../api/session.js';
import { useFailure } from '../publish/useFailure.js';
import { UNTITLED } from '../text/post-title.js';
import { statusOf } from '../text/status.js';
import { dateAndTime } from '../text/time.js';
import { Note } from '../ui/Note.js';
import { EmptyState, Page } from '../ui/Page.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import type { Draft } from './draft.js';
import classes from './Editor.module.css';
import { FIELD_LABELS, shownText } from './field-words.js';
import type { Field } from './fields.js';
import remoteChangesNoteClasses from './RemoteChangesNote.module.css';
import { isQuiet, type RemoteChanges } from './texts.js';

/** What the writer should know before editing: the last error, or the slot. */
export function EditorNotes({ post, slot }: { post: Post | undefined; slot: string | undefined }) {
  const failure = useFailure(post);
  return (
    <>
      {failure && (
        <p className={classes.note} data-tone={failure.isOpen ? 'attention' : undefined}>
          Last attempt failed. {failure.message}
          {!failure.isOpen && ' Something has changed since, so you can try again.'}
        </p>
      )}
      {post?.status === 'scheduled' && post.scheduled_at && (
        <p className={classes.note}>
          Goes out {dateAndTime(post.scheduled_at)}. Changes you make before then are included.
        </p>
      )}
      {slot !== undefined && (
        <p className={classes.note}>You picked {dateAndTime(slot)}. “Schedule…” starts with this time.</p>
      )}
    </>
  );
}

export function RestoredNote({ draft, isNew }: { draft: Draft; isNew: boolean }) {
  return (
    <div className={classes.note}>
      <span role="status">
        {isNew
          ? `This new post wasn’t saved last time, so we kept it for you.${
              draft.id === undefined ? '' : ' To start another one, choose “New post” again.'
            }`
          : 'We restored text that wasn’t saved last time.'}
      </span>
      <Group gap="xs">
        {!isNew && (
          <Button
            size="xs"
            variant="default"
            onClick={() => draft.send({ kind: 'restore_answered', isKept: false })}
          >
            Use saved version
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          onClick={() => draft.send({ kind: 'restore_answered', isKept: true })}
        >
          {isNew ? 'OK' : 'Keep it'}
        </Button>
      </Group>
    </div>
  );
}

/** Nothing is saved any more. The text is kept in this browser, for its writer. */
export function SignedOutNote() {
  const next = window.location.pathname + window.location.search;
  const person = personOfPage();
  const search = new URLSearchParams(person === undefined ? { next } : { next, as: person });
  // The browser may have a session all the same: another person's.
  const isReplaced = useQuery(isSignedInQuery).data;
  return (
    <Note tone="attention" role="alert">
      <Group justify="space-between" gap="sm">
        <div>
          {isReplaced ? 'Someone else has signed in on this browser.' : 'You’re signed out.'} Unsaved text
          stays in this browser until you sign back in.
        </div>
        <Button component="a" href={`/sign-in?${search}`} variant="default" size="xs" h={32}>
          Sign in
        </Button>
      </Group>
    </Note>
  );
}

/** The role was changed while the post was open. */
export const ViewOnlyNote = ({ hasUnsaved }: { hasUnsaved: boolean }) => (
  <Note tone="attention" role="alert">
    You now have view-only access.{hasUnsaved && ' Your text is kept in this browser.'}
  </Note>
);

const reasonsFor = ({ name, on }: { name: string; on: string }): Partial<Record<Post['status'], string>> => ({
  publishing: `It’s on its way to ${name}. You can’t change it until the outcome is known.`,
  posted: `It’s already ${on}, so you can’t change it here.`,
  archived: 'It’s archived. Unarchive it to edit it.',
});

export function NotEditable({ post }: { post: Post }) {
  const reasons = reasonsFor(usePlatform());
  return (
    <Page title="Edit post" actions={<StatusBadge {...statusOf(post)} />}>
      <EmptyState
        title={`You can’t edit “${post.title ?? UNTITLED}”`}
        action={
          <Button
            renderRoot={(props) => <Link to="/posts/$postId" params={{ postId: post.id }} {...props} />}
          >
            View post
          </Button>
        }
      >
        {post.status === 'posted' && post.in_inbox
          ? 'It’s already in the inbox, so you can’t change it here.'
          : reasons[post.status]}
      </EmptyState>
    </Page>
  );
}

// Another member, or another tab, has changed the post that is on the screen.

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
      className={isNothing ? 'unseen' : remoteChangesNoteClasses.note}
      {...(isNothing ? { 'data-quiet': true } : { 'aria-label': 'Changed elsewhere' })}
    >
      <div className={remoteChangesNoteClasses.top}>
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
        <div className={remoteChangesNoteClasses.before}>
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
