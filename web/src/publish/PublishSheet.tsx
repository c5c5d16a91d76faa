// The sheet inside the dialog: the parts in the order of a member's decisions, and the button always visible.
import type { SocialAccount } from '@airdate/sdk';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ApiError, type SeenPost } from '../api/client.js';
import { useLeadMs, useMe } from '../api/permissions.js';
import { assetsQuery, creatorQuery, preflightQuery } from '../api/queries.js';
import { usePlatform } from '../ui/platform.js';
import { dateAndTime, zoneName } from '../ui/time.js';
import { AccountField } from './AccountField.js';
import { Disclosure } from './Disclosure.js';
import {
  firstForm,
  isSecondPass,
  momentOf,
  obstacle,
  publishBody,
  scheduleBody,
  tooSoon,
  type When,
} from './form.js';
import { Interactions } from './Interactions.js';
import { forgetForm, useKeptForm } from './kept-form.js';
import { Closing } from './links.js';
import { ModeField } from './ModeField.js';
import { Outcome } from './Outcome.js';
import { Preview } from './Preview.js';
import { PrivacyField } from './PrivacyField.js';
import { ProblemList } from './ProblemList.js';
import classes from './PublishDialog.module.css';
import { problemsOf } from './problems.js';
import { SheetFooter } from './SheetFooter.js';
import { isOutcomeUnknown, usePublishNow, useSchedule } from './send.js';
import { WhenField } from './WhenField.js';
import { wallOf } from './wall-time.js';

interface Props {
  post: SeenPost;
  accounts: SocialAccount[];
  onClose: () => void;
  onSending: (isSending: boolean) => void;
  onReschedule: (is: boolean) => void;
  /** The post was published or scheduled. */
  onDone?: (() => void) | undefined;
  when?: When;
  at?: string;
}

export function PublishSheet({ post, accounts, onClose, onSending, onReschedule, onDone, when, at }: Props) {
  const zone = zoneName();
  const leadMs = useLeadMs();
  const isVideo = post.post_type === 'video';
  const [form, change] = useKeptForm(
    post,
    () => ({
      when: post.status === 'scheduled' ? 'schedule' : 'now',
      ...firstForm(post, accounts, zone, Date.now(), leadMs),
    }),
    {
      ...(when ? { when } : {}),
      ...(at ? { wall: wallOf(at, zone), isSecondPass: isSecondPass(at, zone) } : {}),
    },
  );
  const isDirect = form.mode === 'direct';
  const creator = useQuery({
    ...creatorQuery(form.accountId ?? ''),
    enabled: form.accountId !== null && isDirect,
  });
  const assets = useQuery(assetsQuery(post.id)).data?.data;
  const preflight = useQuery(preflightQuery(post.id));
  const publish = usePublishNow(post.id);
  const schedule = useSchedule(post);
  const navigate = useNavigate();
  const isBusy = useRef(false);
  // As it was when the sheet opened: the title stays while it closes.
  const [wasScheduled] = useState(post.status === 'scheduled');

  const me = useMe();
  const platform = usePlatform();
  const isForLater = form.when === 'schedule';
  const sending = isForLater ? schedule : publish;
  const isPending = publish.isPending || schedule.isPending;
  useEffect(() => onSending(isPending), [isPending, onSending]);
  const isReschedule = isForLater && wasScheduled;
  useEffect(() => onReschedule(isReschedule), [isReschedule, onReschedule]);

  const may = creator.isError || !isDirect ? undefined : creator.data;
  const moment = momentOf(form, zone);
  const problems = problemsOf(preflight.data, post, form, may, assets);
  // Sent from elsewhere, or from here by a request whose response never came.
  const isUnderWay =
    !isPending && !sending.isSuccess && post.status !== 'draft' && post.status !== 'scheduled';
  const isOver = isUnderWay || isOutcomeUnknown(publish.error);
  const reason = reasonNotTo();

  function reasonNotTo(): string | null {
    if (isDirect && creator.isError)
      return me.safe_mode
        ? 'Safe mode is on: you can’t publish or schedule right now.'
        : `${platform.atStart} isn’t taking posts from this account right now.`;
    const first = obstacle(form, may);
    if (first) return first;
    if (isForLater && moment === null) return 'Choose a date and time.';
    const late = isForLater ? tooSoon(moment, Date.now(), leadMs) : null;
    if (late) return late;
    if (!isForLater && problems.some(({ level }) => level === 'error'))
      return 'Fix the problems listed above first.';
    return null;
  }

  function send(): void {
    // Not by the rendered state: the second click of a double click comes before it has changed.
    if (reason !== null || isBusy.current) return;
    isBusy.current = true;
    const onSettled = () => {
      isBusy.current = false;
    };
    if (isForLater) {
      if (moment !== null)
        schedule.mutate(scheduleBody(form, post, may, moment), { onSuccess: scheduled, onSettled });
    } else publish.mutate(publishBody(form, post, may), { onSuccess: accepted, onSettled });
  }

  function scheduled({ scheduled_at }: SeenPost): void {
    done(
      isReschedule ? 'Rescheduled' : 'Scheduled',
      `${post.title} goes out ${dateAndTime(scheduled_at ?? '')}.`,
    );
  }

  function accepted(): void {
    const next =
      form.mode === 'inbox'
        ? `Open the notification in ${platform.app} to finish the post.`
        : 'It may take a few minutes to appear.';
    done(`Accepted by ${platform.name}`, next);
  }

  function done(title: string, text: string): void {
    forgetForm(post.id);
    // The composer goes there when it is done.
    const isOnItsPage = onDone !== undefined || window.location.pathname === `/posts/${post.id}`;
    onClose();
    onDone?.();
    const id = notifications.show({
      color: 'green',
      // Long enough to follow the link in it.
      autoClose: 10_000,
      title,
      message: isOnItsPage ? (
        text
      ) : (
        <>
          {text}{' '}
          <a
            href={`/posts/${post.id}`}
            className={classes.link}
            onClick={(event) => {
              event.preventDefault();
              notifications.hide(id);
              void navigate({ to: '/posts/$postId', params: { postId: post.id } });
            }}
          >
            See the post
          </a>
        </>
      ),
    });
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

  return (
    <Closing value={onClose}>
      <div className={classes.scroll}>
        <Preview post={post} assets={assets} />
        <ProblemList problems={isOver ? [] : problems} postId={post.id} isForLater={isForLater} />
        <AccountField
          accounts={accounts}
          value={form.accountId}
          onChange={(accountId) => changeAndForget({ accountId, privacy: null })}
          creator={isDirect ? creator : null}
        />
        <WhenField form={form} change={changeAndForget} refusal={refusalOf('scheduled_at')} />
        <ModeField
          value={form.mode}
          onChange={(mode) => changeAndForget({ mode })}
          account={accounts.find(({ id }) => id === form.accountId)}
          isVideo={isVideo}
        />
        {isDirect ? (
          <>
            <Part title="Who can see it">
              <PrivacyField
                form={form}
                options={may?.privacy_level_options}
                change={changeAndForget}
                refusal={refusalOf('privacy_level')}
              />
            </Part>
            <Part title="Viewers can">
              <Interactions form={form} creator={may} isVideo={isVideo} change={changeAndForget} />
            </Part>
            <Part title="Disclosure">
              <Disclosure form={form} change={changeAndForget} />
            </Part>
          </>
        ) : (
          <p className={classes.note}>
            You’ll choose the audience, interactions and disclosure in {platform.app} when you finish the post
            there.
          </p>
        )}
      </div>
      <Outcome error={sending.error} isUnderWay={isUnderWay} postId={post.id} isForLater={isForLater} />
      <SheetFooter
        isForLater={isForLater}
        isRescheduled={wasScheduled}
        isInbox={!isDirect}
        isBranded={isDirect && form.isCommercial && form.isBranded}
        reason={reason}
        isPending={isPending}
        isOver={isOver}
        onSend={send}
        onClose={onClose}
      />
    </Closing>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}
