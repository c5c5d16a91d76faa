// Schedules the selected posts, one after the other or at their own times. Account, audience and interactions are chosen once for
// all of them, by a person: nothing is preset that the platform wants chosen.

import { Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { modeFor, onlyUsable } from '../../accounts/defaults.js';
import { usePlatform } from '../../api/platform.js';
import { accountsQuery, creatorQuery, useLeadMs } from '../../api/queries.js';
import { describePosts } from '../../post/archiving.js';
import { AccountField } from '../../publish/AccountField.js';
import { AmbiguousTimeField } from '../../publish/AmbiguousTimeField.js';
import { Consent } from '../../publish/Consent.js';
import { DirectChoices } from '../../publish/DirectChoices.js';
import { type Obstacle, obstacle, type PublishForm, scheduleBody, tooSoon } from '../../publish/form.js';
import { Closing } from '../../publish/links.js';
import { ModeField } from '../../publish/ModeField.js';
import { SlotPicker } from '../../publish/SlotPicker.js';
import { useSameMinuteText } from '../../publish/useSameMinuteText.js';
import { meaningOf } from '../../publish/wall-time.js';
import { hasMedia } from '../../text/readiness.js';
import { zoneName } from '../../text/time.js';
import { Note } from '../../ui/Note.js';
import { Segments } from '../../ui/Segments.js';
import { useNow } from '../../ui/Time.js';
import { usePhone } from '../../ui/usePhone.js';
import { type Options, scheduleSteps } from './bulk.js';
import classes from './Dialogs.module.css';
import { missingMediaText, schedulable } from './eligibility.js';
import { Footer } from './Footer.js';
import { Every, SlotList } from './SlotFields.js';
import { firstStart, isoOf, ownSlots, rescheduleText, type Spacing, slotsFrom } from './slots.js';
import type { BulkDialogProps } from './useBulkActions.js';
import '../../ui/overlays.css';

export function ScheduleDialog({ opened, onClose, posts: selected, bulk }: BulkDialogProps) {
  const isPhone = usePhone();
  const { posts, leftOut } = schedulable(selected);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Schedule ${describePosts(posts)}`}
      size={600}
      fullScreen={isPhone}
      radius={isPhone ? 0 : 14}
    >
      <Closing value={onClose}>
        <Form posts={posts} leftOut={leftOut} bulk={bulk} onClose={onClose} />
      </Closing>
    </Modal>
  );
}

function Form({
  posts,
  leftOut,
  bulk,
  onClose,
}: Omit<BulkDialogProps, 'opened'> & { leftOut: string | null }) {
  const zone = zoneName();
  const now = useNow();
  const leadMs = useLeadMs();
  const platform = usePlatform();
  const accounts = useQuery(accountsQuery).data ?? [];
  const isVideo = posts.some(({ post_type }) => post_type === 'video');
  const isForMany = posts.length > 1;
  const own = isForMany ? ownSlots(posts) : null;
  const [isOwn, setOwn] = useState(() => own?.every((at) => at >= now + leadMs) ?? false);
  const [spacing, setSpacing] = useState<Spacing>({ every: 1, unit: 'days' });
  const [chosen, setChosen] = useState<PublishForm>(() => ({
    ...NOTHING_CHOSEN,
    ...firstStart(posts, now, leadMs, zone),
  }));
  const change = (part: Partial<PublishForm>) => setChosen((before) => ({ ...before, ...part }));
  const [chosenMode, setMode] = useState<PublishForm['mode'] | null>(null);
  // A single account need not be chosen.
  const accountId = chosen.accountId ?? onlyUsable(accounts)?.id ?? null;
  const account = accounts.find(({ id }) => id === accountId);
  const form = { ...chosen, accountId, mode: modeFor(account, chosenMode) };
  const isDirect = form.mode === 'direct';
  const creator = useQuery({
    ...creatorQuery(form.accountId ?? ''),
    enabled: form.accountId !== null && isDirect,
  });
  const creatorOptions = creator.isError || !isDirect ? undefined : creator.data;
  const isSpaced = own === null || !isOwn;
  const slots = isSpaced ? slotsFrom(form, zone, spacing, posts.length) : own;

  const rescheduling = slots && rescheduleText(posts, slots);
  const noMedia = missingMediaText(posts.filter((post) => !hasMedia(post)).length);
  const late = tooSoon(slots && Math.min(...slots), now, leadMs);
  const others = useSameMinuteText(
    form.accountId,
    late === null ? (slots ?? []) : [],
    posts.map(({ id }) => id),
  );

  const currentObstacle = findObstacle();
  function findObstacle(): Obstacle | null {
    if (isDirect && creator.isError)
      return {
        reason: `${platform.atStart} isn’t taking posts from this account right now.`,
        field: 'account',
      };
    const first = obstacle(form, creatorOptions, isForMany);
    if (first !== null) return first;
    if (slots === null) return { reason: 'Choose a start and a spacing.', field: 'time' };
    if (late === null) return null;
    return isSpaced ? { reason: late, field: 'time' } : { reason: SOME_TOO_SOON };
  }

  async function send(): Promise<void> {
    if (slots === null) return;
    const slotOf = new Map(posts.map(({ id }, n) => [id, slots[n] ?? 0]));
    await bulk.schedule(posts, (postsNow) =>
      scheduleSteps(
        postsNow,
        ({ id }) => isoOf(slotOf.get(id) ?? 0),
        (post): Options => {
          const {
            status: _status,
            scheduled_at: _slot,
            ...options
          } = scheduleBody(form, post, creatorOptions, 0);
          return options as Options;
        },
      ),
    );
    onClose();
  }

  return (
    <Stack gap="lg">
      {leftOut && (
        <Note tone="draft" role="status">
          {leftOut}
        </Note>
      )}
      {noMedia && (
        <Note tone="publishing" role="status">
          {noMedia}
        </Note>
      )}
      {rescheduling && (
        <Note tone="draft" role="status">
          {rescheduling}
        </Note>
      )}
      <AccountField
        accounts={accounts}
        value={form.accountId}
        onChange={(id) => change({ accountId: id, privacy: null })}
        isUnusable={account?.status === 'reconnect_required'}
        creator={isDirect ? creator : null}
      />
      {own && (
        <Segments
          aria-label="Times"
          value={isOwn ? 'own' : 'spaced'}
          onChange={(value) => setOwn(value === 'own')}
          data={[
            { value: 'own', label: 'At their own times' },
            { value: 'spaced', label: 'One after the other' },
          ]}
        />
      )}
      {isSpaced && (
        <>
          <div className={classes.start}>
            <Text size="sm" fw={560}>
              {isForMany ? 'First post' : 'Time'}
            </Text>
            <SlotPicker
              wall={form.wall}
              isSecondOccurrence={form.isSecondOccurrence}
              onChange={(wall, isSecondOccurrence) => change({ wall, isSecondOccurrence })}
              now={now}
              zone={zone}
              leadMs={leadMs}
              error={late}
            />
            {isForMany && <Every spacing={spacing} onChange={setSpacing} />}
          </div>
          <AmbiguousTimeField
            meaning={meaningOf(form.wall, zone)}
            isSecond={form.isSecondOccurrence}
            onChange={(isSecondOccurrence) => change({ isSecondOccurrence })}
            zone={zone}
          />
        </>
      )}
      {slots && (
        <SlotList posts={posts} slots={slots} others={others} isSpaced={isSpaced} now={now} zone={zone} />
      )}
      <ModeField value={form.mode} onChange={setMode} account={account} isVideo={isVideo} />
      {isDirect && (
        <DirectChoices
          form={form}
          change={change}
          creatorOptions={creatorOptions}
          isVideo={isVideo}
          isForMany={isForMany}
        />
      )}
      <Consent isBranded={isDirect && form.isCommercial && form.isBranded} />
      <div className={classes.bottom}>
        <Footer
          act={isForMany ? `Schedule ${describePosts(posts)}` : 'Schedule post'}
          obstacle={currentObstacle}
          isPending={bulk.isBusy}
          onAct={() => void send()}
          onClose={onClose}
        />
      </div>
    </Stack>
  );
}

const SOME_TOO_SOON = 'Some of these times have passed or are too near. Schedule them one after the other.';

const NOTHING_CHOSEN: PublishForm = {
  when: 'schedule',
  wall: '',
  isSecondOccurrence: false,
  accountId: null,
  mode: 'direct',
  privacy: null,
  allowComment: false,
  allowDuet: false,
  allowStitch: false,
  isCommercial: false,
  isOwnBrand: false,
  isBranded: false,
};
