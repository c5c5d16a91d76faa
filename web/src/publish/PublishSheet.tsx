// The sheet inside the dialog: the parts in the order of a member's decisions, and the button always visible.
import type { Dispatch, Post, Preflight, SocialAccount } from '@airdate/sdk/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useRef, useState } from 'react';
import { modeFor } from '../accounts/defaults.js';
import { useReturnHere } from '../accounts/return-post.js';
import { ApiError, type PostWithEtag } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { assetsQuery, creatorQuery, preflightQuery, useLeadMs, useMe } from '../api/queries.js';
import { dateAndTime, zoneName } from '../text/time.js';
import { showActionNotice } from '../ui/action-notice.js';
import { AccountField } from './AccountField.js';
import { wasChosen } from './choices.js';
import { DirectChoices } from './DirectChoices.js';
import type { SheetField } from './fields.js';
import {
  firstForm,
  isSecondOccurrence,
  momentOf,
  type Obstacle,
  obstacle,
  publishBody,
  scheduleBody,
  tooSoon,
  type When,
} from './form.js';
import { useKeptForm } from './kept-form.js';
import { Closing, useIsOnPage } from './links.js';
import { ModeField } from './ModeField.js';
import { Outcome, ProblemList } from './Outcome.js';
import { Preview } from './Preview.js';
import classes from './PublishDialog.module.css';
import { problemsOf } from './problems.js';
import { SheetFooter, SheetHeader } from './SheetFooter.js';
import { WhenField } from './SlotPicker.js';
import { isOutcomeUnknown, usePublishNow, useSchedule } from './send.js';
import { useFailure } from './useFailure.js';
import { wallOf } from './wall-time.js';

interface Props {
  post: PostWithEtag;
  accounts: SocialAccount[];
  /** The latest attempt to publish the post. */
  latest: Dispatch | undefined;
  onClose: () => void;
  /** Between pressing the button and the response. The dialog stays open until then, and a second click does nothing. */
  isSending: RefObject<boolean>;
  /** The post was published or scheduled. */
  onDone?: (() => void) | undefined;
  when?: When;
  at?: string;
}

const seeAbove = (field: SheetField): Obstacle => ({ reason: 'Fix the problem above first.', field });

export function PublishSheet(props: Props) {
  const { post, accounts, latest, onClose, isSending, onDone, when, at } = props;
  const zone = zoneName();
  const leadMs = useLeadMs();
  const isVideo = post.post_type === 'video';
  const me = useMe();
  const { form, change, keepSent, forget } = useKeptForm(
    post,
    me.user?.id ?? '',
    () => ({
      when: post.status === 'scheduled' ? 'schedule' : 'now',
      ...firstForm(post, accounts, zone, Date.now(), leadMs, latest),
    }),
    {
      ...(when ? { when } : {}),
      ...(at ? { wall: wallOf(at, zone), isSecondOccurrence: isSecondOccurrence(at, zone) } : {}),
    },
  );
  const account = accounts.find(({ id }) => id === form.accountId);
  const isDirect = form.mode === 'direct';
  const creator = useQuery({
    ...creatorQuery(form.accountId ?? ''),
    enabled: account?.status === 'connected' && isDirect,
  });
  const assets = useQuery(assetsQuery(post.id)).data?.data;
  const preflight = useQuery(preflightQuery(post.id));
  const named = preflight.data?.account;
  const failure = useFailure(post);
  useReturnHere(post.id);
  const publish = usePublishNow(post.id);
  const schedule = useSchedule(post);
  const hasChosenMode = useRef(wasChosen(post, latest));
  // As it was when the sheet opened: the title stays while it closes.
  const [was] = useState(post.status);

  const platform = usePlatform();
  const isForLater = form.when === 'schedule';
  const sending = isForLater ? schedule : publish;
  const isPending = publish.isPending || schedule.isPending;
  const sent = useAfterPublish({ post, isReschedule: was === 'scheduled', forget, onClose, onDone });

  // An account that was disconnected is no longer in the list.
  const isDead =
    form.accountId !== null &&
    (account?.status !== 'connected' || isLoss(creator.error) || isLoss(sending.error));
  const may = creator.isError || !isDirect ? undefined : creator.data;
  const moment = momentOf(form, zone);
  // What has just been refused is said at the button.
  const earlier = sending.isError ? null : failure;
  // From the press of the button on, preflight would find this very attempt.
  const isLeaving = isPending || sending.isSuccess;
  const problems = isLeaving ? [] : problemsOf(preflight.data, post, form, may, assets, earlier);
  // Sent from elsewhere, or from here by a request whose response never came.
  const isUnderWay = !isLeaving && post.status !== 'draft' && post.status !== 'scheduled';
  const isOver = isUnderWay || isOutcomeUnknown(publish.error);
  const whyNot = findObstacle();

  function findObstacle(): Obstacle | null {
    if (isDead) return seeAbove('account');
    if (isDirect && creator.isError)
      return me.safe_mode
        ? { reason: 'Safe mode is on: you can’t publish or schedule right now.' }
        : seeAbove('account');
    const first = obstacle(form, may);
    if (first) return first;
    if (isForLater && moment === null) return { reason: 'Choose a date and time.', field: 'time' };
    if (isForLater && tooSoon(moment, Date.now(), leadMs))
      return { reason: 'Choose a later time.', field: 'time' };
    if (!isForLater && problems.some(({ level }) => level === 'error')) return seeAbove('problems');
    return null;
  }

  function send(): void {
    // Not by the rendered state: the second click of a double click comes before it has changed.
    if (whyNot !== null || isSending.current) return;
    isSending.current = true;
    const onSettled = () => {
      isSending.current = false;
    };
    if (isForLater) {
      if (moment !== null)
        schedule.mutate(scheduleBody(form, post, may, moment), { onSuccess: sent.scheduled, onSettled });
    } else {
      keepSent();
      publish.mutate(publishBody(form, post, may), { onSuccess: () => sent.accepted(form.mode), onSettled });
    }
  }

  const refusalOf = (field: string) =>
    sending.error instanceof ApiError && !sending.isPending ? sending.error.of(field) : undefined;
  const changeAndForget = (part: Partial<typeof form>) => {
    // The refusal is about the previous form.
    if (!isOver) {
      publish.reset();
      schedule.reset();
    }
    change(part);
  };
  const changeAccount = (accountId: string) => {
    const chosen = accounts.find(({ id }) => id === accountId);
    const mode = modeFor(chosen, hasChosenMode.current ? form.mode : null);
    changeAndForget({ accountId, privacy: null, mode });
  };
  const changeMode = (mode: typeof form.mode) => {
    hasChosenMode.current = true;
    changeAndForget({ mode });
  };

  return (
    <Closing value={onClose}>
      <SheetHeader when={form.when} status={was} />
      <div className={classes.scroll}>
        <Preview post={post} assets={assets} />
        <ProblemList problems={isOver ? [] : problems} postId={post.id} isForLater={isForLater} />
        <AccountField
          postId={post.id}
          accounts={accounts}
          value={form.accountId}
          onChange={changeAccount}
          isDead={isDead}
          disconnectedName={named?.id === form.accountId ? named?.username : undefined}
          advice={form.accountId === post.social_account_id ? adviceIn(preflight.data) : undefined}
          creator={isDirect ? creator : null}
        />
        <WhenField
          form={form}
          change={changeAndForget}
          refusal={refusalOf('scheduled_at')}
          // To reschedule is to choose another day.
          hasDay={at !== undefined && was !== 'scheduled'}
          postId={post.id}
        />
        <ModeField value={form.mode} onChange={changeMode} account={account} isVideo={isVideo} />
        {isDirect && !isDead && (
          <DirectChoices
            form={form}
            change={changeAndForget}
            may={may}
            isVideo={isVideo}
            refusal={refusalOf('privacy_level')}
          />
        )}
        {!isDirect && (
          <p className={classes.note}>
            You’ll choose the audience, interactions and disclosure in {platform.app} when you finish the post
            there.
          </p>
        )}
      </div>
      <Outcome error={sending.error} isUnderWay={isUnderWay} postId={post.id} isForLater={isForLater} />
      <SheetFooter
        isForLater={isForLater}
        isRescheduled={was === 'scheduled'}
        isInbox={!isDirect}
        isBranded={isDirect && form.isCommercial && form.isBranded}
        obstacle={whyNot}
        isPending={isPending}
        isOver={isOver}
        onSend={send}
        onClose={onClose}
      />
    </Closing>
  );
}

/** What to do about an account that was disconnected, with its name. */
const adviceIn = (preflight: Preflight | undefined): string | undefined =>
  preflight?.problems.find(({ code }) => code === 'reconnect_required')?.detail;

/** Why the platform lets nothing through: the account must be reconnected. */
const isLoss = (error: unknown): boolean => error instanceof ApiError && error.code === 'reconnect_required';

// What is said once the post was published or scheduled, wherever the sheet was opened.
interface Sheet {
  post: Post;
  isReschedule: boolean;
  /** Drops what was kept of the form. */
  forget: () => void;
  onClose: () => void;
  onDone: (() => void) | undefined;
}

function useAfterPublish({ post, isReschedule, forget, onClose, onDone }: Sheet) {
  const navigate = useNavigate();
  const page = { to: '/posts/$postId', params: { postId: post.id } } as const;
  const isOnPage = useIsOnPage(post.id);
  // The composer goes there by itself.
  const isThere = isOnPage || onDone !== undefined;
  const platform = usePlatform();
  function done(title: string, text: string): void {
    forget();
    onClose();
    onDone?.();
    showActionNotice({
      id: `sent-${post.id}`,
      color: 'green',
      title,
      text,
      button: isThere ? undefined : { label: 'See the post', onClick: () => void navigate(page) },
    });
  }
  return {
    scheduled: ({ scheduled_at }: Pick<Post, 'scheduled_at'>) =>
      done(
        isReschedule ? 'Rescheduled' : 'Scheduled',
        `${post.title} goes out ${dateAndTime(scheduled_at ?? '')}.`,
      ),
    accepted: (mode: Post['publish_mode']) =>
      done(
        `Accepted by ${platform.name}`,
        mode === 'inbox'
          ? `Open the notification in ${platform.app} to finish the post.`
          : `${isThere ? 'This' : 'Its'} page says when it’s live.`,
      ),
  };
}
