// The actions on a post: first the next sensible step for its state, then the rest.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ReconnectButton } from '../accounts/ReconnectButton.js';
import type { PostWithEtag } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { refreshPosts, useMay } from '../api/queries.js';
import { updateIfUnchanged } from '../api/update-if-unchanged.js';
import { showActionNotice, showFailure } from '../ui/action-notice.js';
import { Dots } from '../ui/IconButton.js';
import { lazyOpened } from '../ui/lazy.js';
import { ButtonLink } from '../ui/links.js';
import { ProblemNote } from '../ui/Note.js';
import { nextStepOf } from './blockers.js';
import { addMediaLabel, fixLabel, isEditable, type Step } from './nextStep.js';
import classes from './PostPage.module.css';
import { useArchive } from './useArchive.js';
import type { PostFacts } from './usePost.js';

const MoreMenu = lazyOpened('menu', async () => (await import('./MoreMenu.js')).MoreMenu);

export interface Dialogs {
  publish: () => void;
  reschedule: () => void;
  resolve: () => void;
  remove: () => void;
}

export function Actions({ facts, dialogs }: { facts: PostFacts; dialogs: Dialogs }) {
  const { post, assets } = facts;
  const mayWrite = useMay('posts:write');
  const mayPublish = useMay('posts:publish');
  const unschedule = useUnschedule(post);
  if (!mayWrite && !mayPublish && !facts.platform?.post_url) return null;
  const step = nextStepOf(post, assets === undefined || assets.length > 0, facts.standing);
  const isDraft = post.status === 'draft';
  return (
    <>
      <div className={classes.actions}>
        <Primary step={step} facts={facts} dialogs={dialogs} />
        {post.status === 'scheduled' && (
          <>
            {step !== 'reschedule' && mayPublish && (
              <Button variant="default" onClick={dialogs.reschedule} data-opens="schedule">
                Reschedule…
              </Button>
            )}
            {mayPublish && step === 'reschedule' && (
              <Button variant="default" onClick={dialogs.publish} data-opens="now">
                Publish now…
              </Button>
            )}
            {mayWrite && (
              <Button variant="default" loading={unschedule.isPending} onClick={() => unschedule.mutate()}>
                Unschedule
              </Button>
            )}
          </>
        )}
        {mayPublish && isDraft && (step === 'fix' || step === 'reconnect') && (
          <Button variant="default" onClick={dialogs.publish} data-opens="now">
            Publish…
          </Button>
        )}
        {mayPublish && isDraft && step !== 'add-media' && step !== 'reconnect' && (
          <Button variant="default" onClick={dialogs.reschedule} data-opens="schedule">
            Schedule…
          </Button>
        )}
        {mayWrite && isEditable(post) && step !== 'add-media' && step !== 'fix' && (
          <ButtonLink variant="default" to="/posts/$postId/edit" params={{ postId: post.id }}>
            Edit
          </ButtonLink>
        )}
        {mayWrite && (
          <MoreMenu
            facts={facts}
            onRemove={dialogs.remove}
            button={(props) => <Dots {...props} size={36} className={classes.more ?? ''} />}
          />
        )}
      </div>
      {unschedule.error && <ProblemNote error={unschedule.error} />}
    </>
  );
}

/** Exactly one, or none where the member can only wait. */
function Primary({ step, facts, dialogs }: { step: Step; facts: PostFacts; dialogs: Dialogs }): ReactNode {
  const { post, platform, account } = facts;
  const mayWrite = useMay('posts:write');
  const mayPublish = useMay('posts:publish');
  const mayManage = useMay('accounts:manage');
  const { unarchive } = useArchive();
  const { on } = usePlatform();
  switch (step) {
    case 'add-media':
    case 'fix':
      return (
        mayWrite && (
          <ButtonLink to="/posts/$postId/edit" params={{ postId: post.id }}>
            {step === 'fix' ? fixLabel(post) : addMediaLabel(post)}
          </ButtonLink>
        )
      );
    case 'reconnect':
      if (!mayManage) return null;
      return account ? (
        <ReconnectButton account={account} postId={post.id} />
      ) : (
        <ButtonLink to="/accounts">Go to accounts</ButtonLink>
      );
    case 'publish':
      return (
        mayPublish && (
          <Button onClick={dialogs.publish} data-opens="now">
            Publish…
          </Button>
        )
      );
    case 'reschedule':
      return (
        mayPublish && (
          <Button onClick={dialogs.reschedule} data-opens="schedule">
            Reschedule…
          </Button>
        )
      );
    case 'resolve':
      return mayPublish && <Button onClick={dialogs.resolve}>Resolve…</Button>;
    case 'unarchive':
      return mayWrite && <Button onClick={() => void unarchive([post])}>Unarchive</Button>;
    case 'open':
      return (
        platform?.post_url && (
          <Button component="a" href={platform.post_url} target="_blank" rel="noreferrer">
            Open {on}
          </Button>
        )
      );
    case 'wait':
      return null;
  }
}

/** Clears the slot; undo restores it, if it is still far enough ahead. */
function useUnschedule(post: PostWithEtag) {
  const client = useQueryClient();
  const undo = (draft: PostWithEtag, scheduled_at: string) => {
    updateIfUnchanged(client, draft, { status: 'scheduled', scheduled_at }, 'scheduled again')
      .then(() => refreshPosts(client))
      .catch((error: unknown) => showFailure('Couldn’t schedule it again', error, true));
  };
  return useMutation({
    mutationFn: () => updateIfUnchanged(client, post, { status: 'draft' }, 'unscheduled'),
    onSuccess: (draft) => {
      void refreshPosts(client);
      const slot = post.scheduled_at;
      showActionNotice({
        id: post.id,
        text: 'Unscheduled. It’s a draft again.',
        button: slot === null ? undefined : { label: 'Undo', onClick: () => undo(draft, slot) },
      });
    },
  });
}
