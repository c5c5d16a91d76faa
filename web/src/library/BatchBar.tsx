import type { Post } from '@airdate/sdk';
import { Button } from '@mantine/core';
import { useArchive } from '../post/useArchive.js';
import classes from './Library.module.css';
import type { Selection } from './useSelection.js';

/** Replaces the header while posts are selected. */
export function BatchBar({
  selection,
  shown,
  isArchive,
}: {
  selection: Selection;
  shown: Post[];
  isArchive: boolean;
}) {
  const { archive, unarchive } = useArchive();
  const count = selection.posts.length;
  const hasMore = shown.some(({ id }) => !selection.has(id));
  const run = () => {
    void (isArchive ? unarchive : archive)(selection.posts);
    selection.clear();
  };
  return (
    <section className={classes.batch} aria-label="Selected posts">
      <span className="figures" role="status">
        {count === 1 ? '1 selected' : `${count} selected`}
      </span>
      {hasMore && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => selection.addAll(shown)}
          className={classes.all ?? ''}
        >
          Select all on this page
        </Button>
      )}
      <Button variant="default" onClick={run}>
        {isArchive ? 'Unarchive' : 'Archive'}
      </Button>
      <Button variant="subtle" color="gray" onClick={selection.clear}>
        Clear
      </Button>
    </section>
  );
}
