// Schedules the selected posts one after the other. Account, audience and interactions are chosen once for all of them, by a
// person: nothing is preset that the platform wants chosen.

import { Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { modeFor } from '../../accounts/defaults.js';
import { usePlatform } from '../../api/platform.js';
import { accountsQuery, creatorQuery, useLeadMs } from '../../api/queries.js';
import { describePosts } from '../../post/archiving.js';
import { AccountField } from '../../publish/AccountField.js';
import { AmbiguousTimeField } from '../../publish/AmbiguousTimeField.js';
import { Consent } from '../../publish/Consent.js';
import { DirectChoices } from '../../publish/DirectChoices.js';
import { obstacle, type PublishForm, scheduleBody, tooSoon } from '../../publish/form.js';
import { Closing } from '../../publish/links.js';
import { ModeField } from '../../publish/ModeField.js';
import { SlotPicker } from '../../publish/SlotPicker.js';
import { meaningOf } from '../../publish/wall-time.js';
import { hasMedia } from '../../text/readiness.js';
import { dateAndTime, zoneName } from '../../text/time.js';
import { Note } from '../../ui/Note.js';
import { useNow } from '../../ui/Time.js';
import { usePhone } from '../../ui/usePhone.js';
import { type Options, scheduleSteps } from './bulk.js';
import classes from './Dialogs.module.css';
import { schedulable } from './eligibility.js';
import { Footer } from './Footer.js';
import {
  isoOf,
  movingInWords,
  type Spacing,
  slotsFrom,
  slotToLose,
  tomorrowMorning,
  type Unit,
} from './slots.js';
import type { BatchDialogProps } from './useBatch.js';
import '../../ui/overlays.css';
import type { Post } from '@airdate/sdk/core';
import { titleOf } from '../../text/post-title.js';

export function ScheduleDialog({ opened, onClose, posts: selected, batch }: BatchDialogProps) {
  const isPhone = usePhone();
  const { posts, leftOut } = schedulable(selected);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Schedule ${describePosts(posts)}`}
      size={560}
      fullScreen={isPhone}
      radius={isPhone ? 0 : 14}
    >
      <Closing value={onClose}>
        <Form posts={posts} leftOut={leftOut} batch={batch} onClose={onClose} />
      </Closing>
    </Modal>
  );
}

function Form({
  posts,
  leftOut,
  batch,
  onClose,
}: Omit<BatchDialogProps, 'opened'> & { leftOut: string | null }) {
  const zone = zoneName();
  const now = useNow();
  const leadMs = useLeadMs();
  const platform = usePlatform();
  const accounts = useQuery(accountsQuery).data ?? [];
  const isVideo = posts.some(({ post_type }) => post_type === 'video');
  const [spacing, setSpacing] = useState<Spacing>({ every: 1, unit: 'days' });
  const [form, setForm] = useState<PublishForm>(() => ({
    ...NOTHING_CHOSEN,
    wall: tomorrowMorning(Date.now(), zone),
  }));
  const change = (part: Partial<PublishForm>) => setForm((before) => ({ ...before, ...part }));
  const hasChosenMode = useRef(false);
  const isDirect = form.mode === 'direct';
  const account = accounts.find(({ id }) => id === form.accountId);
  const creator = useQuery({
    ...creatorQuery(form.accountId ?? ''),
    enabled: form.accountId !== null && isDirect,
  });
  const may = creator.isError || !isDirect ? undefined : creator.data;
  const slots = slotsFrom(form, zone, spacing, posts.length);

  const moving = slots && movingInWords(posts, slots);
  const isForMany = posts.length > 1;
  const bare = posts.filter((post) => !hasMedia(post)).length;
  const late = tooSoon(slots?.[0] ?? null, now, leadMs);

  const reason = reasonNotTo();
  function reasonNotTo(): string | null {
    if (isDirect && creator.isError)
      return `${platform.atStart} isn’t taking posts from this account right now.`;
    const first = obstacle(form, may, isForMany);
    if (first !== null) return first;
    return slots === null ? 'Choose a start and a spacing.' : late;
  }

  const changeAccount = (accountId: string) => {
    const chosen = accounts.find(({ id }) => id === accountId);
    const mode = modeFor(chosen, hasChosenMode.current ? form.mode : null);
    change({ accountId, privacy: null, mode });
  };
  const changeMode = (mode: PublishForm['mode']) => {
    hasChosenMode.current = true;
    change({ mode });
  };

  async function send(): Promise<void> {
    if (slots === null) return;
    const slotOf = new Map(posts.map(({ id }, n) => [id, slots[n] ?? 0]));
    await batch.schedule(posts, (asTheyAre) =>
      scheduleSteps(
        asTheyAre,
        ({ id }) => isoOf(slotOf.get(id) ?? 0),
        (post): Options => {
          const { status: _status, scheduled_at: _slot, ...options } = scheduleBody(form, post, may, 0);
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
      {bare > 0 && (
        <Note tone="publishing" role="status">
          {bare === 1 ? '1 post has no media yet' : `${bare} posts have no media yet`}. Add it before{' '}
          {bare === 1 ? 'its time, or that post' : 'their times, or those posts'} will fail.
        </Note>
      )}
      {moving && (
        <Note tone="draft" role="status">
          {moving}
        </Note>
      )}
      <AccountField
        accounts={accounts}
        value={form.accountId}
        onChange={changeAccount}
        isDead={accounts.find(({ id }) => id === form.accountId)?.status === 'reconnect_required'}
        creator={isDirect ? creator : null}
      />
      <div className={classes.start}>
        <Text size="sm" fw={560}>
          {isForMany ? 'First post' : 'Time'}
        </Text>
        <SlotPicker
          wall={form.wall}
          isSecondOccurrence={form.isSecondOccurrence}
          onChange={(wall, isSecondOccurrence) => change({ wall, isSecondOccurrence: isSecondOccurrence })}
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
        onChange={(isSecondOccurrence) => change({ isSecondOccurrence: isSecondOccurrence })}
        zone={zone}
      />
      {slots && <SlotList posts={posts} slots={slots} now={now} zone={zone} />}
      <ModeField value={form.mode} onChange={changeMode} account={account} isVideo={isVideo} />
      {isDirect && (
        <DirectChoices form={form} change={change} may={may} isVideo={isVideo} isForMany={isForMany} />
      )}
      <Consent isBranded={isDirect && form.isCommercial && form.isBranded} />
      <div className={classes.bottom}>
        <Footer
          act={isForMany ? `Schedule ${describePosts(posts)}` : 'Schedule post'}
          reason={reason}
          isPending={batch.isBusy}
          onAct={() => void send()}
          onClose={onClose}
        />
      </div>
    </Stack>
  );
}

function Every({
  spacing: { every, unit },
  onChange,
}: {
  spacing: Spacing;
  onChange: (spacing: Spacing) => void;
}) {
  const id = useId();
  return (
    <div className={classes.every}>
      <label htmlFor={id}>Then every</label>
      <TextInput
        id={id}
        type="number"
        inputMode="numeric"
        min={1}
        max={365}
        w={72}
        value={Number.isNaN(every) ? '' : every}
        onChange={({ currentTarget }) => onChange({ every: currentTarget.valueAsNumber, unit })}
      />
      <NativeSelect
        aria-label="Unit"
        w={112}
        value={unit}
        onChange={({ currentTarget }) => onChange({ every, unit: currentTarget.value as Unit })}
        data={[
          { value: 'hours', label: every === 1 ? 'hour' : 'hours' },
          { value: 'days', label: every === 1 ? 'day' : 'days' },
          { value: 'weeks', label: every === 1 ? 'week' : 'weeks' },
        ]}
      />
    </div>
  );
}

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

/** Each post with its new time, and the one it has if it is scheduled already. */
function SlotList({
  posts,
  slots,
  now,
  zone,
}: {
  posts: Post[];
  slots: number[];
  now: number;
  zone: string;
}) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={6}>
        {posts.length > 1 && 'In the order you selected them. '}Your time zone: {zone.replaceAll('_', ' ')}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <ol className={`figures ${classes.slots}`} aria-label="Slots" tabIndex={0}>
        {posts.map((post, n) => {
          const slot = slots[n] ?? 0;
          const before = slotToLose(post, slot);
          return (
            <li key={post.id}>
              <div>
                <span className={classes.title} dir="auto">
                  {titleOf(post)}
                </span>
                <span className={classes.times}>
                  {before && (
                    <>
                      <time dateTime={before}>{dateAndTime(before, now)}</time>
                      <span aria-hidden>{' → '}</span>
                      <span className="unseen"> moves to </span>
                    </>
                  )}
                  <time dateTime={isoOf(slot)}>{dateAndTime(slot, now)}</time>
                </span>
              </div>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
