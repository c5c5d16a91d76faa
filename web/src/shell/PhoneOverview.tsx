import { UnstyledButton } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { nextUpQuery } from '../api/queries.js';
import { lazyDialog } from '../ui/lazy.js';
import type { Cause } from './attention.js';
import { attentionTitle, CauseText, NextText } from './Causes.js';
import classes from './NextUp.module.css';
import { useCauses, useRetryOverview } from './overview.js';

const Sheet = lazyDialog(async () => (await import('./AttentionSheet.js')).AttentionSheet);

/** On a phone, above the library: what needs attention, and what goes out next. */
export function PhoneOverview() {
  const next = useQuery(nextUpQuery);
  const causes = useCauses();
  const lookAgain = useRetryOverview();
  // Its height is right from the first frame on, unless what comes next has changed since the last visit.
  const [wasLow, setLow] = useLocalStorage({
    key: 'airdate-nothing-ahead',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const isKnown = next.data !== undefined && (causes !== undefined || lookAgain !== undefined);
  const isLow = isKnown ? next.data.data.length === 0 && causes?.length === 0 : wasLow;
  useEffect(() => setLow(isLow), [isLow, setLow]);
  if (!isKnown)
    return (
      <div className={classes.strip} data-low={isLow || undefined} aria-hidden>
        <div className={classes.cell} />
      </div>
    );
  const post = next.data.data[0];
  return (
    <aside className={classes.strip} data-low={isLow || undefined} aria-label="At a glance">
      {causes && causes.length > 0 && <AttentionCell causes={causes} />}
      {lookAgain && (
        <UnstyledButton className={classes.cell ?? ''} onClick={lookAgain}>
          <span className={classes.label}>Needs attention</span>{' '}
          <span className={classes.when}>Couldn’t check. Try again</span>
        </UnstyledButton>
      )}
      {post ? (
        <Link to="/posts/$postId" params={{ postId: post.id }} className={classes.cell}>
          <span className={classes.label}>Next up</span> <NextText post={post} />
        </Link>
      ) : (
        <div className={classes.cell}>
          <span className={classes.label}>Next up</span>{' '}
          <span className={classes.when}>Nothing scheduled</span>
        </div>
      )}
    </aside>
  );
}

/** A single cause leads to its place; several open a list. */
function AttentionCell({ causes }: { causes: Cause[] }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [first] = causes as [Cause];
  const { place, hint: _hint, key: _key, ...texts } = first;
  const isLoud = causes.some(({ isCalm }) => !isCalm);
  if (causes.length === 1)
    return (
      <Link {...place} className={classes.cell} activeProps={{}} data-attention={isLoud || undefined}>
        <span className={classes.label}>Needs attention</span> <CauseText {...texts} />
      </Link>
    );
  return (
    <>
      <UnstyledButton
        className={classes.cell ?? ''}
        data-attention={isLoud || undefined}
        onClick={open}
        aria-haspopup="dialog"
      >
        <span className={classes.label}>{attentionTitle(causes)}</span> <CauseText {...texts} />
      </UnstyledButton>
      <Sheet opened={isOpen} onClose={close} causes={causes} />
    </>
  );
}
