// One post: its preview, its status, the next step, and every publish attempt.
import { Skeleton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import { ApiError } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { useMay } from '../api/queries.js';
import { PublishDialog } from '../publish/LazyPublishDialog.js';
import { useOutdatedNotice } from '../publish/useAfterPublish.js';
import { named, unknownBecause, withoutCode } from '../text/api-text.js';
import { titleOf } from '../text/post-title.js';
import { asFact } from '../text/readiness.js';
import { OUTCOMES, statusOf } from '../text/status.js';
import { lazyDialog } from '../ui/lazy.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { Note, ProblemNote } from '../ui/Note.js';
import { BackLink, EmptyState, Page } from '../ui/Page.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { useFocusAfterDialog } from '../ui/useFocusAfterDialog.js';
import { Actions } from './Actions.js';
import { Attempts } from './Attempts.js';
import { BEFORE_PUBLISHING, TIME_WITHOUT_SLOT } from './blockers.js';
import { Details } from './Details.js';
import { isEditable } from './nextStep.js';
import classes from './PostPage.module.css';
import { RemoveTime } from './RemoveTime.js';
import { StatusLine } from './StatusLine.js';
import { useArchive } from './useArchive.js';
import { type PostFacts, usePost } from './usePost.js';
import { Viewer } from './Viewer.js';

const ResolveDialog = lazyDialog(async () => (await import('./ResolveDialog.js')).ResolveDialog);
const DeleteDialog = lazyDialog(async () => (await import('./DeleteDialog.js')).DeleteDialog);

export function PostPage() {
  const { postId } = useParams({ from: '/inside/posts/$postId' });
  const { facts, error, partError, refetch } = usePost(postId);
  if (error instanceof ApiError && error.status === 404) return <Gone />;
  if (!facts)
    return (
      <Page title="Post" back={<BackLink />}>
        {error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : <Ghost />}
      </Page>
    );
  return (
    <Page title={titleOf(facts.post)} back={<BackLink />}>
      {partError && <ProblemNote error={partError} />}
      {/* Another post is another page: nothing of the one before stays open. */}
      <Loaded key={postId} facts={facts} />
    </Page>
  );
}

function Loaded({ facts }: { facts: PostFacts }) {
  const { post, latest, platform, account } = facts;
  const publish = usePublishDialog(facts);
  const [isResolving, resolving] = useDisclosure(false);
  const [isDeleting, deleting] = useDisclosure(false);
  useOutdatedNotice(post.id, facts.isMoving);
  useKeys(facts, publish.now);
  const status = useRef<HTMLElement>(null);
  const opened = useRef(publish.when);
  if (publish.when !== null) opened.current = publish.when;
  // To the button that opens it; another one if the post has changed meanwhile.
  useFocusAfterDialog(publish.when !== null, () =>
    [`[data-opens="${opened.current}"]`, '[data-opens]', 'a[href], button'].reduce<HTMLElement | null>(
      (found, selector) => found ?? status.current?.querySelector<HTMLElement>(selector) ?? null,
      null,
    ),
  );
  return (
    <div className={classes.columns}>
      <section aria-label="Status" className={classes.status} ref={status}>
        <StatusBadge {...(latest && facts.isMoving ? OUTCOMES[latest.outcome] : statusOf(post))} />
        <StatusLine facts={facts} />
        <BlockersNote facts={facts} />
        <Actions
          facts={facts}
          dialogs={{
            publish: publish.now,
            reschedule: publish.later,
            resolve: resolving.open,
            remove: deleting.open,
          }}
        />
      </section>
      <div className={classes.media}>
        <Viewer post={post} assets={facts.assets} />
      </div>
      <div className={classes.facts}>
        <Details facts={facts} />
        <Attempts attempts={facts.attempts} total={facts.attemptCount} />
      </div>
      <PublishDialog
        postId={post.id}
        opened={publish.when !== null}
        onClose={publish.close}
        when={publish.when ?? 'now'}
        {...(publish.when === 'schedule' && post.scheduled_at ? { at: post.scheduled_at } : {})}
      />
      <ResolveDialog
        post={post}
        attempt={latest}
        platform={platform}
        account={account}
        opened={isResolving}
        onClose={resolving.close}
      />
      <DeleteDialog post={post} opened={isDeleting} onClose={deleting.close} />
    </div>
  );
}

/** Opened by its button, its key, or the URL. */
function usePublishDialog({ post }: PostFacts) {
  const { publish, schedule } = useSearch({ from: '/inside/posts/$postId' });
  const navigate = useNavigate({ from: '/posts/$postId' });
  const mayPublish = useMay('posts:publish');
  const [asked, setAsked] = useState<'now' | 'schedule' | null>(null);
  // Once open, it stays: its own attempt changes the status before its response is there.
  const isOpen = useRef(false);
  const wanted = publish ? 'now' : schedule ? 'schedule' : null;
  isOpen.current = wanted !== null && mayPublish && (isOpen.current || isEditable(post));
  const byAddress = isOpen.current ? wanted : null;
  const close = () => {
    setAsked(null);
    if (wanted !== null) void navigate({ search: {}, replace: true });
  };
  return { when: asked ?? byAddress, now: () => setAsked('now'), later: () => setAsked('schedule'), close };
}

function useKeys({ post }: PostFacts, publish: () => void): void {
  const mayWrite = useMay('posts:write');
  const mayPublish = useMay('posts:publish');
  const { archive, unarchive } = useArchive();
  const alone = (act: () => void) => () => {
    if (!document.querySelector('[role="dialog"]') && !document.activeElement?.closest('[role="menu"]'))
      act();
  };
  useHotkeys([
    ['p', alone(() => mayPublish && isEditable(post) && publish())],
    ['e', alone(() => mayWrite && void (post.status === 'archived' ? unarchive : archive)([post]))],
  ]);
}

const Gone = () => (
  <Page title="Post">
    <EmptyState title="Post not found" action={<ButtonLink to="/library">Go to library</ButtonLink>}>
      It was deleted, or the link is wrong.
    </EmptyState>
  </Page>
);

const Ghost = () => (
  <div className={classes.columns} aria-hidden>
    <div className={classes.status}>
      <Skeleton height={22} width={90} radius={11} />
      <Skeleton height={24} width="60%" radius={4} />
      <Skeleton height={36} width={220} />
    </div>
    <div className={classes.media}>
      <Skeleton className={classes.ghost ?? ''} radius={14} />
    </div>
    <div className={classes.facts}>
      <Skeleton height={320} />
    </div>
  </div>
);

// At the top of the page: whether the post is ready, or what is in its way. The next step is the first button below.
function BlockersNote({ facts: { post, standing } }: { facts: PostFacts }) {
  const mayWrite = useMay('posts:write');
  const mayManage = useMay('accounts:manage');
  const platform = usePlatform();
  if (!standing)
    // Its outcome is unknown.
    return post.status === 'publishing' && post.last_publish_error !== null ? (
      <div className={classes.standing}>
        <Note tone="attention">
          {named(unknownBecause(post.last_publish_error) ?? withoutCode(post.last_publish_error), platform)}{' '}
          Check the account, then resolve the post. It isn’t sent again until you do.
        </Note>
      </div>
    ) : null;
  const { tone, title, problems } = standing;
  if (problems.length === 0)
    return (
      <p className={classes.ready}>
        <CircleCheck size={16} /> {title}
      </p>
    );
  const mustReconnect = problems.some(({ code }) => code === 'reconnect_required') && tone !== 'publishing';
  return (
    <div className={classes.standing}>
      <Note tone={tone} {...(title === undefined ? {} : { title: mayWrite ? title : titleForReader(title) })}>
        {problems.map(({ code, detail }, i) => (
          <p key={code + detail} className={classes.problem}>
            {mayWrite ? detail : asFact({ code, detail })}{' '}
            {i > 0 && mayWrite && <EditLink postId={post.id} />}
          </p>
        ))}
        {mayWrite && problems.some(({ code }) => code === TIME_WITHOUT_SLOT) && <RemoveTime post={post} />}
        {mustReconnect && !mayManage && (
          <p className={classes.problem}>Ask an owner or admin to reconnect it.</p>
        )}
      </Note>
    </div>
  );
}

const titleForReader = (title: string): string => (title === BEFORE_PUBLISHING ? 'Not ready yet' : title);

const EditLink = ({ postId }: { postId: string }) => (
  <TextLink to="/posts/$postId/edit" params={{ postId }}>
    Edit post
  </TextLink>
);
