// What the writer should know before editing: what was restored, changed elsewhere or cannot be saved, and what the post waits for.
import type { Post } from '@airdate/sdk/core';
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isSignedInQuery } from '../api/queries.js';
import { personOfPage } from '../api/session.js';
import { useFailure } from '../publish/useFailure.js';
import { dateAndTime } from '../text/time.js';
import { Note, ProblemNote } from '../ui/Note.js';
import { ConflictNote } from './ConflictNote.js';
import { type Draft, useDraft } from './draft.js';
import classes from './Editor.module.css';
import { RemoteChangesNote } from './RemoteChangesNote.js';

interface Props {
  draft: Draft;
  post: Post | undefined;
  /** A free time that was chosen in the calendar. */
  slot: string | undefined;
  mayWrite: boolean;
}

export function EditorNotes({ draft, post, slot, mayWrite }: Props) {
  const { restored, conflicts, remote, saving, problem } = useDraft(draft);
  return (
    <div className={classes.notes}>
      {restored && <RestoredNote draft={draft} isNew={restored === 'new'} />}
      {conflicts.length === 0 && <RemoteChangesNote draft={draft} remote={remote} />}
      {conflicts.length > 0 && <ConflictNote draft={draft} conflicts={conflicts} />}
      {saving === 'ended' && <SignedOutNote />}
      {!mayWrite && <ViewOnlyNote hasUnsaved={draft.hasUnsaved()} />}
      {mayWrite && saving === 'refused' && <ProblemNote error={problem} onRetry={() => draft.retry()} />}
      <PostNotes post={post} slot={slot} />
    </div>
  );
}

/** The last error, and the slot. */
function PostNotes({ post, slot }: Pick<Props, 'post' | 'slot'>) {
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

function RestoredNote({ draft, isNew }: { draft: Draft; isNew: boolean }) {
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
function SignedOutNote() {
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
const ViewOnlyNote = ({ hasUnsaved }: { hasUnsaved: boolean }) => (
  <Note tone="attention" role="alert">
    You now have view-only access.{hasUnsaved && ' Your text is kept in this browser.'}
  </Note>
);
