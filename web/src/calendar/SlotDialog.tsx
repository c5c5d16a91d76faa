// A free slot in the calendar was chosen: write a new post for it, or schedule a draft there.
import { Button, Modal, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { accountsQuery, useLeadMs } from '../api/queries.js';
import { AmbiguousTimeField } from '../publish/AmbiguousTimeField.js';
import { isSecondOccurrence, momentOf } from '../publish/form.js';
import { meaningOf, wallOf } from '../publish/wall-time.js';
import { inUtc, zoneName } from '../text/time.js';
import { showTime } from '../text/typed-time.js';
import { ProblemNote } from '../ui/Note.js';
import { useTimeFormat } from '../ui/Time.js';
import { TimeField } from '../ui/TimeField.js';
import { missingParts } from './draft-gaps.js';
import { refusalOf } from './move.js';
import classes from './SlotDialog.module.css';
import { TinyCover } from './TinyCover.js';
import { useDraftSearch } from './useDraftSearch.js';
import '../ui/overlays.css';

export function SlotDialog({
  opened,
  at,
  onClose,
  onDraft,
}: {
  opened: boolean;
  /** Null while nothing is chosen. */
  at: Date | null;
  onClose: () => void;
  onDraft: (postId: string, at: string) => void;
}) {
  const day =
    at && new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'long' }).format(at);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={day ? `Schedule for ${day}` : 'Schedule'}
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
      classNames={{ title: classes.heading ?? '' }}
    >
      {at && <Slot key={at.getTime()} at={at} onDraft={onDraft} />}
    </Modal>
  );
}

function Slot({ at, onDraft }: { at: Date; onDraft: (postId: string, at: string) => void }) {
  const zone = zoneName();
  const leadMs = useLeadMs();
  const format = useTimeFormat();
  const [slot, setSlot] = useState(() => ({
    wall: wallOf(at, zone),
    isSecondOccurrence: isSecondOccurrence(at, zone),
  }));
  const meaning = meaningOf(slot.wall, zone);
  const ms = momentOf(slot, zone);
  const moment = ms === null ? null : new Date(ms);
  const refusal = moment ? refusalOf(moment, Date.now(), leadMs) : 'Choose a time.';
  const isFree = moment !== null && refusal === null;
  const iso = isFree ? moment.toISOString() : '';
  return (
    <div className={classes.slot}>
      <TimeField
        data-autofocus
        description={`${zone.replaceAll('_', ' ')}${moment ? `, ${inUtc(moment)}` : ''}`}
        value={slot.wall.slice(11)}
        onChange={(time) => setSlot({ wall: `${slot.wall.slice(0, 10)}T${time}`, isSecondOccurrence: false })}
        error={refusal}
      />
      {meaning?.kind === 'never' && (
        <Text size="sm">
          The clocks go forward then, so the post goes out at {showTime(meaning.wall.slice(11), format)}.
        </Text>
      )}
      <AmbiguousTimeField
        meaning={meaning}
        isSecond={slot.isSecondOccurrence}
        onChange={(isSecondOccurrence) => setSlot({ ...slot, isSecondOccurrence })}
        zone={zone}
      />
      {isFree ? (
        <Button
          leftSection={<Plus size={15} />}
          renderRoot={(props) => <Link to="/posts/new" search={{ at: iso }} {...props} />}
        >
          New post
        </Button>
      ) : (
        <Button disabled leftSection={<Plus size={15} />}>
          New post
        </Button>
      )}
      <Drafts isFree={isFree} onChoose={(postId) => onDraft(postId, iso)} />
    </div>
  );
}

function Drafts({ isFree, onChoose }: { isFree: boolean; onChoose: (postId: string) => void }) {
  const { search, setSearch, isSearch, drafts } = useDraftSearch();
  const { data: accounts } = useQuery(accountsQuery);
  return (
    <section className={classes.drafts} aria-label="Drafts to choose from">
      <TextInput
        label="Or pick a draft"
        placeholder="Search drafts"
        type="search"
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {drafts.isError && <ProblemNote query={drafts} />}
      {drafts.isPending && <Skeleton height={56} />}
      {drafts.data?.data.length === 0 && (
        <Text size="sm" c="dimmed">
          {isSearch ? 'No drafts match.' : 'No drafts yet. Start a new post.'}
        </Text>
      )}
      <ul className={classes.list}>
        {drafts.data?.data.map((post) => (
          <li key={post.id}>
            <button
              type="button"
              className={classes.draft}
              disabled={!isFree}
              onClick={() => onChoose(post.id)}
            >
              <TinyCover post={post} width={22} />
              <span className={classes.words}>
                <span className={classes.title} dir="auto">
                  {post.title}
                </span>
                <Gaps words={missingParts(post, accounts)} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Said before it is chosen, not by the sheet that opens then. */
const Gaps = ({ words }: { words: string[] }) =>
  words.length > 0 && (
    <span className={classes.gaps}>
      <TriangleAlert size={12} /> {words.join(' · ')}
    </span>
  );
