// What the sheet knows of its post, and what its fields and its button do. What follows from it is decided in `sheetState`.
import type { Dispatch, SocialAccount } from '@airdate/sdk/core';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { modeFor } from '../accounts/defaults.js';
import { useReturnHere } from '../accounts/return-post.js';
import { ApiError, type PostWithEtag } from '../api/client.js';
import { assetsQuery, creatorQuery, preflightQuery, useLeadMs, useMe } from '../api/queries.js';
import { zoneName } from '../text/time.js';
import { wasChosen } from './choices.js';
import {
  firstForm,
  isSecondOccurrence,
  momentOf,
  type PublishForm,
  publishBody,
  scheduleBody,
  type When,
} from './form.js';
import { useSavedForm } from './saved-form.js';
import { usePublishNow, useSchedule } from './send.js';
import { mustNotResend, requestFor, sheetState } from './sheet-state.js';
import { useAfterPublish } from './useAfterPublish.js';
import { useFailure } from './useFailure.js';
import { wallOf } from './wall-time.js';

export interface SheetProps {
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

export function usePublishSheet(props: SheetProps) {
  const { post, accounts, latest, onClose, isSending, onDone, when, at } = props;
  const zone = zoneName();
  const leadMs = useLeadMs();
  const me = useMe();
  // As it was when the sheet opened: the title stays while it closes.
  const [statusBefore] = useState(post.status);
  const { form, change, saveSent, forget } = useSavedForm(
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
  const hasChosenMode = useRef(wasChosen(post, latest));
  useReturnHere(post.id);

  const account = accounts.find(({ id }) => id === form.accountId);
  const creator = useQuery({
    ...creatorQuery(form.accountId ?? ''),
    enabled: account?.status === 'connected' && form.mode === 'direct',
  });
  const assets = useQuery(assetsQuery(post.id)).data?.data;
  const preflight = useQuery(preflightQuery(post.id)).data;
  const failure = useFailure(post);
  const publish = usePublishNow(post.id);
  const schedule = useSchedule(post);
  const sending = { publish, schedule }[requestFor(form)];
  const after = useAfterPublish({
    post,
    isReschedule: statusBefore === 'scheduled',
    forget,
    onClose,
    onDone,
  });

  const moment = momentOf(form, zone);
  const state = sheetState({
    post,
    form,
    account,
    creator,
    publish,
    schedule,
    preflight,
    assets,
    failure,
    isSafeMode: me.safe_mode,
    moment,
    now: Date.now(),
    leadMs,
  });

  function send(): void {
    // Not by the rendered state: the second click of a double click comes before it has changed.
    if (state.obstacle !== null || isSending.current) return;
    isSending.current = true;
    const onSettled = () => {
      isSending.current = false;
    };
    const { creatorOptions } = state;
    if (form.when === 'now') {
      saveSent();
      publish.mutate(publishBody(form, post, creatorOptions), {
        onSuccess: () => after.accepted(form.mode),
        onSettled,
      });
    } else if (moment !== null)
      schedule.mutate(scheduleBody(form, post, creatorOptions, moment), {
        onSuccess: after.scheduled,
        onSettled,
      });
  }

  function changeForm(part: Partial<PublishForm>): void {
    // The refusal is about the previous form.
    if (!mustNotResend(state.phase)) {
      publish.reset();
      schedule.reset();
    }
    change(part);
  }

  function changeAccount(accountId: string): void {
    const chosen = accounts.find(({ id }) => id === accountId);
    const mode = modeFor(chosen, hasChosenMode.current ? form.mode : null);
    changeForm({ accountId, privacy: null, mode });
  }

  function changeMode(mode: PublishForm['mode']): void {
    hasChosenMode.current = true;
    changeForm({ mode });
  }

  const refusalOf = (field: string): string | undefined =>
    sending.error instanceof ApiError ? sending.error.of(field) : undefined;

  return {
    form,
    statusBefore,
    account,
    creator,
    preflight,
    assets,
    state,
    error: sending.error,
    refusalOf,
    change: changeForm,
    changeAccount,
    changeMode,
    send,
  };
}
