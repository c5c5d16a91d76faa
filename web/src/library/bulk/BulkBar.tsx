import type { Post } from '@airdate/sdk/core';
import { Button } from '@mantine/core';
import { useArchive } from '../../post/useArchive.js';
import { number } from '../../text/numbers.js';
import { Dots } from '../../ui/IconButton.js';
import { lazyOpened } from '../../ui/lazy.js';
import classes from '../Library.module.css';
import type { Tab } from '../query.js';
import type { Rights } from '../useRights.js';
import type { Selection } from '../useSelection.js';
import type { BulkDialogName } from './BulkDialogs.js';
import { beforeDeleting, isDeletable, isSchedulable } from './eligibility.js';
import type { BulkActions } from './useBulkActions.js';

const More = lazyOpened('menu', async () => (await import('./BulkMenu.js')).BulkMenu);

interface Props {
  selection: Selection;
  shown: Post[];
  tab: Tab;
  may: Rights;
  bulk: BulkActions;
  onOpenDialog: (name: BulkDialogName) => void;
}

/** Replaces the header while posts are selected. */
export function BulkBar({ selection, shown, tab, may, bulk, onOpenDialog }: Props) {
  const { archive, unarchive } = useArchive();
  const count = selection.posts.length;
  const isArchive = tab === 'archived';
  // What is sent or published can neither be scheduled nor labelled.
  const isPlanned = !isArchive && tab !== 'posted' && tab !== 'in_inbox' && tab !== 'publishing';
  const isAnySchedulable = selection.posts.some(isSchedulable);
  const isAnyScheduled = selection.posts.some(({ status }) => status === 'scheduled');
  const selectAll = shown.some(({ id }) => !selection.has(id)) ? () => selection.addAll(shown) : undefined;
  const toggleArchived = () => {
    void (isArchive ? unarchive : archive)(selection.posts);
    selection.clear();
  };
  return (
    <section className={classes.bulk} aria-label="Selected posts" aria-busy={bulk.isBusy}>
      <span className="figures" role="status">
        {count === 1 ? '1 selected' : `${number(count)} selected`}
      </span>
      {selectAll && (
        <Button variant="subtle" color="gray" onClick={selectAll} className={classes.all ?? ''}>
          Select all on this page
        </Button>
      )}
      <div className={classes.acts}>
        {isPlanned && may.publish && (
          <>
            <Button
              variant="default"
              disabled={bulk.isBusy || !isAnySchedulable}
              {...(isAnySchedulable ? {} : { title: 'None of them can be scheduled' })}
              onClick={() => onOpenDialog('schedule')}
            >
              Schedule…
            </Button>
            <Button
              variant="default"
              disabled={bulk.isBusy || !isAnyScheduled}
              {...(isAnyScheduled ? {} : { title: 'None of them is scheduled' })}
              onClick={() => onOpenDialog('move')}
            >
              Move…
            </Button>
          </>
        )}
        {isPlanned && (
          <Button
            variant="default"
            className={classes.notOnPhone ?? ''}
            disabled={bulk.isBusy}
            onClick={() => onOpenDialog('labels')}
          >
            Labels…
          </Button>
        )}
        <Button variant="default" disabled={bulk.isBusy} onClick={toggleArchived}>
          {isArchive ? 'Unarchive' : 'Archive'}
        </Button>
        <More
          button={(props) => <Dots {...props} size={36} />}
          onDelete={selection.posts.some(isDeletable) ? () => onOpenDialog('delete') : undefined}
          beforeDeleting={beforeDeleting(selection.posts)}
          onLabel={isPlanned ? () => onOpenDialog('labels') : undefined}
          onSelectAll={selectAll}
          onUnschedule={isAnyScheduled ? () => void bulk.unschedule(selection.posts) : undefined}
        />
      </div>
      <Button variant="subtle" color="gray" onClick={selection.clear}>
        Clear
      </Button>
    </section>
  );
}
