// The composer itself: text, files and preview, side by side.

import type { Post } from '@airdate/sdk/core';
import { ActionIcon, Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Eye, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useReturnHere } from '../accounts/return-post.js';
import { useDisconnectedAccount } from '../accounts/useDisconnected.js';
import { accountsQuery, postQuery, useMay } from '../api/queries.js';
import { stayWhenSessionIsLost } from '../api/session.js';
import { PublishDialog } from '../publish/LazyPublishDialog.js';
import { statusOf } from '../text/status.js';
import { showFailure } from '../ui/action-notice.js';
import { ProblemNote } from '../ui/Note.js';
import { BackLink, Page } from '../ui/Page.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { usePhone } from '../ui/usePhone.js';
import { DeferredRender } from '../ui/useSlices.js';
import { isUnderWay } from '../uploads/store.js';
import { ConflictNote } from './ConflictNote.js';
import { type Draft, useDraft } from './draft.js';
import classes from './Editor.module.css';
import { EditorActions, LeaveGuard, SavedIndicator } from './EditorActions.js';
import {
  EditorNotes,
  NotEditable,
  RemoteChangesNote,
  RestoredNote,
  SignedOutNote,
  ViewOnlyNote,
} from './EditorNotes.js';
import { FilePicker, type Picker, useFileDrop } from './FilePicker.js';
import { onlyAccount } from './fields.js';
import { MediaPanel } from './MediaPanel.js';
import { obstacleOf } from './obstacle.js';
import { PhonePreview } from './PhonePreview.js';
import { previewFiles } from './preview-files.js';
import { Readiness } from './Readiness.js';
import { likelyMode, sentText } from './sent-text.js';
import { slideWarnings } from './slide-warnings.js';
import { TextFields } from './TextFields.js';
import { TypeSwitch } from './TypeSwitch.js';
import { usePostMedia } from './usePostMedia.js';
import { useRemoveSlide } from './useRemoveSlide.js';
import { useTake } from './useTake.js';
import { whyUnsaved } from './why-unsaved.js';

const isEditable = ({ status }: Post) => status === 'draft' || status === 'scheduled';

interface Props {
  draft: Draft;
  at: string | undefined;
  /** Files that were dropped elsewhere for this post. Asked for once, when the editor is on the screen. */
  takeFirstFiles?: () => readonly File[];
}

export function Editor({ draft, at, takeFirstFiles }: Props) {
  const view = useDraft(draft);
  const { id, postType, fields } = view;
  const post = useQuery({ ...postQuery(id ?? ''), enabled: id !== undefined }).data;
  const accounts = useQuery(accountsQuery).data ?? [];
  const account =
    accounts.find((each) => each.id === fields.social_account_id) ??
    (id === undefined ? onlyAccount(accounts) : undefined);
  const disconnected = useDisconnectedAccount(id, fields.social_account_id);
  useReturnHere(id);
  const mode = likelyMode(post, account);
  const media = usePostMedia(draft);
  const removal = useRemoveSlide(id);
  const picker = useRef<Picker>(null);
  const openPicker = useCallback((insteadOf?: string) => picker.current?.open(insteadOf), []);
  const setCover = useCallback(
    (value: string) => draft.set(postType === 'video' ? 'cover_ms' : 'cover_index', value),
    [draft, postType],
  );
  const [selected, setSelected] = useState(0);
  const [dialog, setDialog] = useState<'now' | 'schedule'>();
  const [wasTried, setTried] = useState(false);
  const isPhone = usePhone();
  const mayWrite = useMay('posts:write');
  const mayPublish = useMay('posts:publish');
  const mayManage = useMay('accounts:manage');
  const navigate = useNavigate();

  useEffect(() => {
    if (post) draft.receive(post);
  }, [draft, post]);
  // Leaving the screen leaves the field too, but without a blur event.
  useEffect(() => () => draft.blur(), [draft]);
  useEffect(stayWhenSessionIsLost, []);
  useEffect(() => {
    if (mayWrite) draft.retry();
    // No field is being written in any more, so changes by others are shown immediately.
    else draft.blur();
  }, [draft, mayWrite]);

  const suggestedHashtags = view.hasOwnHashtags ? '' : (account?.default_hashtags ?? '');
  const hashtags = fields.hashtags || (id === undefined ? suggestedHashtags : '');
  const slot = post?.status === 'scheduled' ? undefined : at;
  const shown = previewFiles(media);
  const index = Math.min(selected, Math.max(0, shown.length - 1));
  const isUploading = media.uploads.some(isUnderWay);
  const isEmpty = shown.length + media.strays.length === 0 && post?.status !== 'scheduled';
  const isTypeFixed = !mayWrite || !isEmpty || media.isLoading || media.error !== null;
  const take = useTake(draft, media, isTypeFixed);
  const isOver = useFileDrop((files) => take(files));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once
  useEffect(() => {
    const files = takeFirstFiles?.() ?? [];
    if (files.length > 0) take(files);
  }, []);
  const addMediaLabel = postType === 'video' ? 'Add video' : 'Add slides';

  const openDialog = async (when: 'now' | 'schedule') => {
    if (await draft.flush()) return setDialog(when);
    showFailure('Some text isn’t saved yet', whyUnsaved(draft.view().saving));
  };
  const obstacle = obstacleOf({
    mayPublish,
    mayManage,
    isUploading,
    isRemoving: removal.leaving.length > 0,
    hasMedia: media.assets.length > 0,
    addMediaLabel,
    unusable: disconnected
      ? { ...disconnected, isListed: false }
      : account?.status === 'reconnect_required'
        ? { ...account, isListed: true }
        : undefined,
  });
  const actions = (
    <EditorActions
      postId={id}
      obstacle={obstacle}
      isForSlot={slot !== undefined}
      wasTried={wasTried}
      onOpen={(when) => void openDialog(when)}
      onTry={() => setTried(true)}
      onAddMedia={() => openPicker()}
    />
  );

  // Always there, so that the fields do not move with the first file.
  const typeSwitch = <TypeSwitch draft={draft} isFixed={isTypeFixed} />;
  const textColumn = (
    <section key="text" className={classes.column} aria-label="Text">
      {!isPhone && typeSwitch}
      <TextFields
        draft={draft}
        mode={mode}
        isReadOnly={!mayWrite}
        suggestedHashtags={id === undefined ? suggestedHashtags : ''}
      />
    </section>
  );
  const mediaColumn = (
    // On a phone the text is below it, and would move.
    <DeferredRender key="media" by={isPhone ? 0 : 2} meanwhile={<Skeleton height={260} />}>
      <MediaPanel
        draft={view}
        media={media}
        removal={removal}
        selected={index}
        isOver={isOver}
        isReadOnly={!mayWrite}
        onSelect={setSelected}
        onCover={setCover}
        onOpen={openPicker}
      />
    </DeferredRender>
  );

  if (post && !isEditable(post) && dialog === undefined) return <NotEditable post={post} />;
  return (
    <Page
      title={id === undefined ? 'New post' : 'Edit post'}
      back={!isPhone && <BackLink />}
      actions={
        <div className={classes.header}>
          <SavedIndicator draft={draft} mayWrite={mayWrite} />
          {post && <StatusBadge {...statusOf(post)} />}
          {id !== undefined && <ViewPost postId={id} isSmall={isPhone} />}
          {isPhone ? (
            <ActionIcon
              size={44}
              variant="subtle"
              color="gray"
              aria-label="Close"
              renderRoot={(props) => <Link to="/library" {...props} />}
            >
              <X size={20} />
            </ActionIcon>
          ) : (
            actions
          )}
        </div>
      }
    >
      <LeaveGuard draft={draft} />
      <FilePicker ref={picker} postType={postType} onFiles={take} />
      <div className={classes.notes}>
        {view.restored && <RestoredNote draft={draft} isNew={view.restored === 'new'} />}
        {view.conflicts.length === 0 && <RemoteChangesNote draft={draft} remote={view.remote} />}
        {view.conflicts.length > 0 && <ConflictNote draft={draft} conflicts={view.conflicts} />}
        {view.saving === 'ended' && <SignedOutNote />}
        {!mayWrite && <ViewOnlyNote hasUnsaved={draft.hasUnsaved()} />}
        {mayWrite && view.saving === 'refused' && (
          <ProblemNote error={view.problem} onRetry={() => draft.retry()} />
        )}
        <EditorNotes post={post} slot={slot} />
      </div>
      <div className={classes.columns}>
        {isPhone && (
          <section key="type" className={classes.column} aria-label="Post type">
            {typeSwitch}
          </section>
        )}
        {isPhone ? [mediaColumn, textColumn] : [textColumn, mediaColumn]}
        <section className={`${classes.column} ${classes.outcome}`} aria-label="Preview">
          <DeferredRender by={3} meanwhile={<Skeleton height={484} radius={28} />}>
            <PhonePreview
              postType={postType}
              files={shown}
              sent={sentText({ postType, mode, fields: { ...fields, hashtags } })}
              cover={{ index: Number(fields.cover_index), ms: Number(fields.cover_ms) }}
              account={account}
              disconnectedName={disconnected?.username}
              index={index}
              onIndex={setSelected}
            />
            <Readiness
              postId={id}
              addMediaLabel={addMediaLabel}
              isUploading={isUploading}
              mayWrite={mayWrite}
              wasTried={wasTried}
              warnings={postType === 'slides' ? slideWarnings(media.assets, media.uploads) : []}
              onResetCover={() => setCover('')}
              onAddMedia={() => openPicker()}
              onPublish={() => void openDialog('now')}
            />
          </DeferredRender>
        </section>
      </div>
      {isPhone && <div className={classes.bottom}>{actions}</div>}
      {id !== undefined && (
        <PublishDialog
          postId={id}
          opened={dialog !== undefined}
          onClose={() => setDialog(undefined)}
          onDone={() => void navigate({ to: '/posts/$postId', params: { postId: id } })}
          {...(dialog ? { when: dialog } : {})}
          {...(slot === undefined ? {} : { at: slot })}
        />
      )}
    </Page>
  );
}

function ViewPost({ postId, isSmall }: { postId: string; isSmall: boolean }) {
  const root = (props: object) => <Link to="/posts/$postId" params={{ postId }} {...props} />;
  if (!isSmall)
    return (
      <Button variant="subtle" color="gray" renderRoot={root}>
        View post
      </Button>
    );
  return (
    <ActionIcon size={44} variant="subtle" color="gray" aria-label="View post" renderRoot={root}>
      <Eye size={20} />
    </ActionIcon>
  );
}
