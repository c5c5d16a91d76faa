// Schedules the selected posts one after the other. Account, audience and interactions are chosen once for all of them, by a
// person: nothing is preset that the platform wants chosen.
import { Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { modeFor } from '../../accounts/defaults.js';
import { useLeadMs } from '../../api/permissions.js';
import { accountsQuery, creatorQuery } from '../../api/queries.js';
import { titleOf } from '../../post/nextStep.js';
import { AccountField } from '../../publish/AccountField.js';
import { Consent } from '../../publish/Consent.js';
import { DirectChoices } from '../../publish/DirectChoices.js';
import { obstacle, type PublishForm, scheduleBody, tooSoon } from '../../publish/form.js';
import { Closing } from '../../publish/links.js';
import { ModeField } from '../../publish/ModeField.js';
import { TwicePass } from '../../publish/TwicePass.js';
import { meaningOf } from '../../publish/wall-time.js';
import { usePlatform } from '../../ui/platform.js';
import { useNow } from '../../ui/Time.js';
import { TimeField } from '../../ui/TimeField.js';
import { dateAndTime, zoneName } from '../../ui/time.js';
import { usePhone } from '../../ui/usePhone.js';
import type { BatchDialogProps } from './BatchDialogs.js';
import { type Options, scheduleSteps, whatOf } from './bulk.js';
import classes from './Dialogs.module.css';
import { Footer } from './Footer.js';
import { type Spacing, slotsFrom, tomorrowMorning, type Unit } from './slots.js';

export function ScheduleDialog({ opened, onClose, posts, batch }: BatchDialogProps) {
  const isPhone = usePhone();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Schedule ${whatOf(posts)}`}
      size={560}
      fullScreen={isPhone}
      radius={isPhone ? 0 : 14}
    >
      <Closing value={onClose}>
        <Form posts={posts} batch={batch} onClose={onClose} />
      </Closing>
    </Modal>
  );
}

function Form({ posts, batch, onClose }: Omit<BatchDialogProps, 'opened'>) {
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

  const reason = reasonNotTo();
  function reasonNotTo(): string | null {
    if (isDirect && creator.isError)
      return `${platform.atStart} isn’t taking posts from this account right now.`;
    const first = obstacle(form, may);
    if (first !== null) return first;
    return slots === null ? 'Choose a start and a spacing.' : tooSoon(slots[0] ?? null, now, leadMs);
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
      <AccountField
        accounts={accounts}
        value={form.accountId}
        onChange={changeAccount}
        isDead={accounts.find(({ id }) => id === form.accountId)?.status === 'reconnect_required'}
        creator={isDirect ? creator : null}
      />
      <Start
        wall={form.wall}
        onWall={(wall) => change({ wall, isSecondPass: false })}
        spacing={spacing}
        onSpacing={setSpacing}
      />
      <TwicePass
        meaning={meaningOf(form.wall, zone)}
        isSecond={form.isSecondPass}
        onChange={(isSecondPass) => change({ isSecondPass })}
        zone={zone}
      />
      {slots && (
        <div>
          <Text size="xs" c="dimmed" mb={6}>
            In the order you selected them. Your time zone: {zone.replaceAll('_', ' ')}
          </Text>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
          <ol className={`figures ${classes.slots}`} aria-label="Slots" tabIndex={0}>
            {posts.map((post, n) => (
              <li key={post.id}>
                <div>
                  <span className={classes.title}>{titleOf(post)}</span>
                  <time dateTime={isoOf(slots[n] ?? 0)}>{dateAndTime(slots[n] ?? 0, now)}</time>
                </div>
              </li>
            ))}
          </ol>
        </div>
      )}
      <ModeField value={form.mode} onChange={changeMode} account={account} isVideo={isVideo} />
      {isDirect && <DirectChoices form={form} change={change} may={may} isVideo={isVideo} isForMany />}
      <Consent isBranded={isDirect && form.isCommercial && form.isBranded} />
      <div className={classes.bottom}>
        <Footer
          act={`Schedule ${whatOf(posts)}`}
          reason={reason}
          isPending={batch.isBusy}
          onAct={() => void send()}
          onClose={onClose}
        />
      </div>
    </Stack>
  );
}

function Start({
  wall,
  onWall,
  spacing: { every, unit },
  onSpacing,
}: {
  wall: string;
  onWall: (wall: string) => void;
  spacing: Spacing;
  onSpacing: (spacing: Spacing) => void;
}) {
  return (
    <div className={classes.row}>
      <TextInput
        type="date"
        label="First day"
        value={wall.slice(0, 10)}
        onChange={({ currentTarget }) => onWall(`${currentTarget.value}T${wall.slice(11)}`)}
      />
      <TimeField value={wall.slice(11)} onChange={(time) => onWall(`${wall.slice(0, 10)}T${time}`)} />
      <TextInput
        type="number"
        label="One every"
        inputMode="numeric"
        min={1}
        max={365}
        value={Number.isNaN(every) ? '' : every}
        onChange={({ currentTarget }) => onSpacing({ every: currentTarget.valueAsNumber, unit })}
      />
      <NativeSelect
        label="Unit"
        value={unit}
        onChange={({ currentTarget }) => onSpacing({ every, unit: currentTarget.value as Unit })}
        data={[
          { value: 'hours', label: every === 1 ? 'hour' : 'hours' },
          { value: 'days', label: every === 1 ? 'day' : 'days' },
          { value: 'weeks', label: every === 1 ? 'week' : 'weeks' },
        ]}
      />
    </div>
  );
}

const isoOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

const NOTHING_CHOSEN: PublishForm = {
  when: 'schedule',
  wall: '',
  isSecondPass: false,
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
