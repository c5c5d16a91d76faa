import type { Post } from '@airdate/sdk/core';
import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { describePosts } from '../../post/archiving.js';
import { number } from '../../text/numbers.js';
import { dateAndTime, zoneName } from '../../text/time.js';
import { Segments } from '../../ui/Segments.js';

import classes from './Dialogs.module.css';
import { Footer } from './Footer.js';
import { movedBy } from './slots.js';
import type { BulkDialogProps } from './useBulkActions.js';
import '../../ui/overlays.css';

const MAX_DAYS = 365;

const isScheduled = ({ status }: Post) => status === 'scheduled';

/** Moves the slots of scheduled posts by whole days. */
export function MoveDialog({ opened, onClose, posts, bulk }: BulkDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Move ${describePosts(posts.filter(isScheduled))}`}>
      <Form posts={posts} bulk={bulk} onClose={onClose} />
    </Modal>
  );
}

function Form({ posts, bulk, onClose }: Omit<BulkDialogProps, 'opened'>) {
  const [typed, setTyped] = useState('1');
  const [way, setWay] = useState('later');
  const count = Number(typed);
  const isCount = Number.isInteger(count) && count >= 1 && count <= MAX_DAYS;
  const days = way === 'later' ? count : -count;
  const moving = posts.filter(isScheduled);
  // A draft may have a time too, which schedules nothing.
  const first = moving
    .flatMap(({ scheduled_at }) => scheduled_at ?? [])
    .sort()
    .at(0);
  const others = posts.length - moving.length;
  const move = async () => {
    await bulk.move(posts, days);
    onClose();
  };
  return (
    <Stack gap="md">
      <div className={classes.row}>
        <TextInput
          type="number"
          label="Days"
          data-autofocus
          inputMode="numeric"
          min={1}
          max={MAX_DAYS}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          error={!isCount && `Enter 1 to ${MAX_DAYS}.`}
        />
        <Segments
          aria-label="Direction"
          value={way}
          onChange={setWay}
          data={[
            { value: 'later', label: 'Later' },
            { value: 'earlier', label: 'Earlier' },
          ]}
        />
      </div>
      <Text size="sm" className="figures" aria-live="polite">
        {first && isCount && (
          <>
            {moving.length === 1 ? 'It goes' : 'The first one goes'} out{' '}
            {dateAndTime(movedBy(first, days, zoneName()))} instead of {dateAndTime(first)}.{' '}
          </>
        )}
        {others > 0 &&
          `${others} of the selected posts ${others === 1 ? 'isn’t' : 'aren’t'} scheduled and won’t move.`}
      </Text>
      <Footer
        act={moving.length === 1 ? 'Move post' : `Move ${number(moving.length)} posts`}
        obstacle={isCount ? null : { reason: 'Enter how many days.' }}
        isPending={bulk.isBusy}
        onAct={() => void move()}
        onClose={onClose}
      />
    </Stack>
  );
}
