import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { nextUpQuery } from '../api/queries.js';
import { attentionTitle, Causes } from './Causes.js';
import classes from './NextUp.module.css';
import { useCauses, useRetryOverview } from './overview.js';
import shell from './Shell.module.css';

const MAX_ROWS = 5;

/** What waits for a person, one row per cause, most urgent first. Absent when there is nothing. */
export function NeedsAttention() {
  const causes = useCauses();
  // It comes after the posts above it, so that it does not move when they come.
  const { isPending } = useQuery(nextUpQuery);
  const lookAgain = useRetryOverview();
  if (!isPending && lookAgain)
    return (
      <section aria-labelledby="needs-attention">
        <h2 className={shell.section} id="needs-attention">
          Needs attention
        </h2>
        <UnstyledButton className={classes.all ?? ''} onClick={lookAgain}>
          Couldn’t check. Try again
        </UnstyledButton>
      </section>
    );
  if (isPending || !causes || causes.length === 0) return null;
  return (
    <section aria-labelledby="needs-attention">
      <h2 className={shell.section} id="needs-attention">
        {attentionTitle(causes)}
      </h2>
      <Causes causes={causes.slice(0, MAX_ROWS)} />
      {causes.length > MAX_ROWS && (
        <Link to="/library" search={{ attention: true }} className={classes.all} activeProps={{}}>
          See all posts
        </Link>
      )}
    </section>
  );
}
