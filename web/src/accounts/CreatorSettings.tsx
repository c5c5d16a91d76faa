import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usePlatform } from '../api/platform.js';
import { creatorQuery } from '../api/queries.js';
import { audienceOf } from '../text/audiences.js';
import { duration } from '../text/time.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import classes from './Accounts.module.css';

/** The options of the creator when posting, as the platform reports them now. */
export function CreatorSettings({ accountId }: { accountId: string }) {
  const { data, error, refetch, isPending } = useQuery(creatorQuery(accountId));
  const { name } = usePlatform();
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton height={132} aria-label={`Loading from ${name}`} />;
  const rows: [label: string, value: string][] = [
    ['Nickname', data.nickname],
    ['Audiences', data.privacy_level_options.map(audienceOf).join(', ')],
    ['Comments', allowed(data.comment_disabled)],
    ['Duets', allowed(data.duet_disabled)],
    ['Stitches', allowed(data.stitch_disabled)],
    ['Longest video', duration(data.max_video_post_duration_sec * 1000)],
  ];
  return (
    <dl className={classes.facts}>
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="figures">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const allowed = (isDisabled: boolean) => (isDisabled ? 'Off in the account’s settings' : 'Available');
