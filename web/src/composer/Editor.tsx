// The composer itself. What is typed lives in the draft, what is uploaded in the uploads of this tab; this screen shows both.

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { useReturnHere } from '../accounts/return-post.js';
import { postQuery, useMay } from '../api/queries.js';
import { PublishDialog } from '../publish/LazyPublishDialog.js';
import { BackLink, Page } from '../ui/Page.js';
import { usePhone } from '../ui/usePhone.js';
import { type Draft, useDraft } from './draft.js';
import classes from './Editor.module.css';
import { EditorActions } from './EditorActions.js';
import { EditorColumns } from './EditorColumns.js';
import { EditorHeader } from './EditorHeader.js';
import { EditorNotes } from './EditorNotes.js';
import { FilePicker, type Picker } from './FilePicker.js';
import { LeaveGuard } from './LeaveGuard.js';
import { isEditable, NotEditable } from './NotEditable.js';
import { canChangeType } from './TypeSwitch.js';
import { useAddFiles } from './useAddFiles.js';
import { useChosenAccount } from './useChosenAccount.js';
import { useDraftOnScreen } from './useDraftOnScreen.js';
import { useFileDrop } from './useFileDrop.js';
import { useObstacle } from './useObstacle.js';
import { usePostMedia } from './usePostMedia.js';
import { usePublishDialog } from './usePublishDialog.js';
import { useRemoveSlide } from './useRemoveSlide.js';

interface Props {
  draft: Draft;
  at: string | undefined;
  /** Files that were dropped elsewhere for this post. Asked for once, when the editor is on the screen. */
  takeFirstFiles?: () => readonly File[];
}

export function Editor({ draft, at, takeFirstFiles }: Props) {
  const view = useDraft(draft);
  const { id, postType } = view;
  const post = useQuery({ ...postQuery(id ?? ''), enabled: id !== undefined }).data;
  const mayWrite = useMay('posts:write');
  const isPhone = usePhone();
  const navigate = useNavigate();
  useDraftOnScreen(draft, post, mayWrite);
  useReturnHere(id);

  const chosen = useChosenAccount(view, post);
  const media = usePostMedia(draft);
  const removal = useRemoveSlide(id);
  const isTypeFixed = !mayWrite || !canChangeType(post, media);
  const addFiles = useAddFiles(draft, media, isTypeFixed);
  const isDraggedOver = useFileDrop(addFiles, takeFirstFiles);
  const picker = useRef<Picker>(null);
  const openPicker = useCallback((insteadOf?: string) => picker.current?.open(insteadOf), []);

  const slot = post?.status === 'scheduled' ? undefined : at;
  const dialog = usePublishDialog(draft);
  const obstacle = useObstacle({ postType, media, removal, chosen });
  const [wasTried, setTried] = useState(false);
  const actions = (
    <EditorActions
      postId={id}
      obstacle={obstacle}
      isForSlot={slot !== undefined}
      wasTried={wasTried}
      onOpen={dialog.open}
      onTry={() => setTried(true)}
      onAddMedia={() => openPicker()}
    />
  );

  if (post && !isEditable(post) && dialog.when === undefined) return <NotEditable post={post} />;
  return (
    <Page
      title={id === undefined ? 'New post' : 'Edit post'}
      back={!isPhone && <BackLink />}
      actions={<EditorHeader draft={draft} post={post} mayWrite={mayWrite} actions={actions} />}
    >
      <LeaveGuard draft={draft} />
      <FilePicker ref={picker} postType={postType} onFiles={addFiles} />
      <EditorNotes draft={draft} post={post} slot={slot} mayWrite={mayWrite} />
      <EditorColumns
        draft={draft}
        chosen={chosen}
        media={media}
        removal={removal}
        mayWrite={mayWrite}
        isTypeFixed={isTypeFixed}
        isDraggedOver={isDraggedOver}
        wasTried={wasTried}
        onAddMedia={openPicker}
        onPublish={() => dialog.open('now')}
      />
      {isPhone && <div className={classes.bottom}>{actions}</div>}
      {id !== undefined && (
        <PublishDialog
          postId={id}
          opened={dialog.when !== undefined}
          onClose={dialog.close}
          onDone={() => void navigate({ to: '/posts/$postId', params: { postId: id } })}
          {...(dialog.when ? { when: dialog.when } : {})}
          {...(slot === undefined ? {} : { at: slot })}
        />
      )}
    </Page>
  );
}
