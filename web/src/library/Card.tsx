import type { Post } from '@airdate/sdk/core';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, memo, useSyncExternalStore } from 'react';
import { type ShownAccount, shownName } from '../accounts/useKnownAccounts.js';
import { usePlatform } from '../api/platform.js';
import { LabelChips } from '../labels/LabelChip.js';
import type { Label } from '../labels/label.js';
import { nextStepInList } from '../post/blockers.js';
import { addMediaLabel, fixLabel } from '../post/nextStep.js';
import { named } from '../text/api-text.js';
import { titleOf } from '../text/post-title.js';
import { isFetching, isSlotNear, isUploading, warningOf, withoutSlot } from '../text/readiness.js';
import { statusOf } from '../text/status.js';
import { relative } from '../text/time.js';
import { AccountAvatar } from '../ui/AccountAvatar.js';
import { Cover } from '../ui/Cover.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { Moment, useNow } from '../ui/Time.js';
import { getUploads, isUnderWay, subscribe } from '../uploads/store.js';
import classes from './Card.module.css';
import { PostMenu } from './PostMenu.js';
import type { Rights } from './useRights.js';

export interface CardProps {
  post: Post;
  account: ShownAccount | undefined;
  labels: ReadonlyMap<string, Label>;
  may: Rights;
  isSelected: boolean;
  onSelect: (post: Post, isRange: boolean) => void;
}

export const Card = memo(function Card({ post, account, labels, may, isSelected, onSelect }: CardProps) {
  return (
    <li className={classes.card} data-post={post.id} data-selected={isSelected || undefined}>
      <div className={classes.cover}>
        <Cover post={post} />
        <div className={classes.steps}>
          <NextStep post={post} may={may} />
          <PostMenu post={post} may={may} className={classes.menu} />
        </div>
        {may.write && (
          <SelectBox post={post} isSelected={isSelected} onSelect={onSelect} className={classes.check} />
        )}
      </div>
      <h2 className={classes.title} dir="auto">
        <Link
          to="/posts/$postId"
          params={{ postId: post.id }}
          className={classes.open}
          data-open
          title={titleOf(post)}
          onClick={(event) => {
            if (!event.shiftKey || !may.write) return;
            event.preventDefault();
            onSelect(post, true);
          }}
        >
          {titleOf(post)}
        </Link>
      </h2>
      <div className={classes.state}>
        <StatusBadge {...statusOf(post)} />
        {account && (
          <span className={classes.account} title={shownName(account)}>
            <AccountAvatar account={account} size={18} className={classes.avatar} />
            <span className="unseen" dir="auto">
              {shownName(account)}
            </span>
          </span>
        )}
      </div>
      <p className={classes.when}>
        <When post={post} />
      </p>
      <LabelChips ids={post.labels} labels={labels} />
      <PostNote post={post} />
    </li>
  );
});

/** The next sensible step, on the cover of posts that need one. */
function NextStep({ post, may }: { post: Post; may: Rights }) {
  const step = nextStepInList(post);
  const params = { postId: post.id };
  // What it needs is on its way.
  if (step === 'add-media' && isUploading(post)) return null;
  if (may.write && (step === 'add-media' || step === 'fix')) {
    const label = step === 'fix' ? fixLabel(post) : addMediaLabel(post);
    return (
      <Link
        to="/posts/$postId/edit"
        params={params}
        className={classes.step}
        aria-label={withTitle(label, post)}
      >
        {label}
      </Link>
    );
  }
  if (may.publish && (step === 'publish' || step === 'resolve')) {
    const label = step === 'publish' ? 'Publish…' : 'Resolve…';
    return (
      <Link
        to="/posts/$postId"
        params={params}
        search={step === 'publish' ? { publish: true } : {}}
        className={classes.step}
        aria-label={withTitle(label, post)}
      >
        {label}
      </Link>
    );
  }
  if (may.manage && step === 'reconnect')
    return (
      <Link to="/accounts" className={classes.step} aria-label={`Reconnect the account of ${titleOf(post)}`}>
        Reconnect
      </Link>
    );
  return null;
}

const withTitle = (label: string, post: Post) => `${label} ${titleOf(post)}`;

// The boxes that select posts. They are the browser's own: a page has a hundred of them, and each of Mantine's is drawn twice.
interface Props {
  post: Post;
  isSelected: boolean;
  onSelect: (post: Post, isRange: boolean) => void;
  className?: string | undefined;
}

/** With shift, everything from the last one. */
export const SelectBox = ({ post, isSelected, onSelect, className = '' }: Props) => (
  <div className={className}>
    <input
      type="checkbox"
      className={classes.box}
      aria-label={`Select ${titleOf(post)}`}
      checked={isSelected}
      onChange={({ nativeEvent }) => onSelect(post, (nativeEvent as unknown as MouseEvent).shiftKey)}
    />
  </div>
);

interface AllProps {
  isAll: boolean;
  isSome: boolean;
  onChange: () => void;
}

export const SelectAllBox = ({ isAll, isSome, onChange }: AllProps) => (
  <input
    ref={(box) => {
      if (box) box.indeterminate = isSome && !isAll;
    }}
    type="checkbox"
    className={classes.box}
    aria-label="Select all on this page"
    checked={isAll}
    onChange={onChange}
  />
);

/** The one time that matters about a post: when it goes out, was due, went out, failed, or was created. */
export function When({ post }: { post: Post }) {
  const present = useNow();
  const [before, at] = momentOf(post, present);
  // A past event is never shown in the future, whatever the clocks of browser and server say.
  const now = post.status === 'scheduled' ? present : Math.max(present, new Date(at).getTime());
  return (
    <>
      {before && `${before} `}
      <Moment at={at}>{relative(at, now)}</Moment>
    </>
  );
}

/**
 * The badge beside it says "Scheduled", "In the inbox" or "Posted", so the time needs no word then. Never the time of the last change: the
 * worker changes posts too, and so do archiving and its undo.
 */
function momentOf(post: Post, now: number): [before: string, at: string] {
  if (post.status === 'scheduled' && post.scheduled_at !== null)
    return [new Date(post.scheduled_at).getTime() > now ? '' : 'Was due', post.scheduled_at];
  if (post.status === 'publishing') return ['Sent', post.updated_at];
  if (post.posted_at !== null)
    return [post.status === 'posted' ? '' : post.in_inbox ? 'Sent' : 'Posted', post.posted_at];
  const { failed_at = null, last_slot } = post;
  // A slot that was missed later than that is the failure to tell of.
  if (failed_at !== null && (last_slot === null || last_slot <= failed_at)) return ['Failed', failed_at];
  if (last_slot !== null) return ['Was due', last_slot];
  return ['Created', post.created_at];
}

/** Why the post failed or will fail, or that a file is not there yet. */
export function PostNote({ post, isOneLine = false }: { post: Post; isOneLine?: boolean }) {
  const platform = usePlatform();
  const warning = warningOf(post);
  if (warning === null && !isUploading(post)) return null;
  if (warning === null && isFetching(post)) return <FetchNote post={post} isOneLine={isOneLine} />;
  if (warning !== null && warning === withoutSlot(post))
    return <TimeNote post={post} text={warning} isOneLine={isOneLine} />;
  return (
    <span
      className={classes.note}
      data-warning={warning !== null || undefined}
      data-line={isOneLine || undefined}
      title={warning === null ? undefined : named(warning, platform)}
    >
      {warning === null ? <UploadText postId={post.id} /> : named(firstStep(warning), platform)}
    </span>
  );
}

/** A draft with a time may be just that, until the time is past. */
function TimeNote({ post, text, isOneLine }: { post: Post; text: string; isOneLine: boolean }) {
  const isPast = Date.parse(post.scheduled_at ?? '') <= useNow();
  return (
    <span
      className={classes.note}
      data-warning={isPast || undefined}
      data-calm={!isPast || undefined}
      data-line={isOneLine || undefined}
      title={text}
    >
      {text}
    </span>
  );
}

/** Nothing is wrong, unless the slot of the post is near. */
function FetchNote({ post, isOneLine }: { post: Post; isOneLine: boolean }) {
  const now = useNow();
  const isLate = post.status === 'scheduled' && isSlotNear(post.scheduled_at, now);
  return (
    <span
      className={classes.note}
      data-warning={isLate || undefined}
      data-calm={!isLate || undefined}
      data-line={isOneLine || undefined}
    >
      {isLate ? 'Still fetching its files' : 'Fetching its files'}
    </span>
  );
}

/** "Connect city.notes again, or choose another account.": cards and rows have room for the first of the two. */
const firstStep = (warning: string) => warning.replace(/, or [^.]+\.$/, '.');

/** Only this tab is known to be sending. */
function UploadText({ postId }: { postId: string }) {
  const isHere = useSyncExternalStore(subscribe, () =>
    getUploads().some((upload) => upload.postId === postId && isUnderWay(upload)),
  );
  return isHere ? 'Uploading…' : 'Upload not finished';
}
