// Every publish attempt, newest first: its trigger, time, lateness and outcome.
import type { Dispatch } from '@airdate/sdk';
import { Skeleton } from '@mantine/core';
import { CopyText } from '../ui/CopyText.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { OUTCOMES } from '../ui/status.js';
import { dateAndTime, duration, inFull } from '../ui/time.js';
import classes from './Attempts.module.css';

const TRIGGERS: Record<Dispatch['trigger'], string> = {
  api: 'Published by API',
  dashboard: 'Published from the dashboard',
  schedule: 'Its slot had come',
  retry: 'Tried again by itself',
};

export function Attempts({ attempts, total }: { attempts: Dispatch[] | undefined; total: number }) {
  return (
    <section aria-labelledby="attempts">
      <h2 className={classes.heading} id="attempts">
        Attempts{total > 0 ? ` (${total})` : ''}
      </h2>
      {!attempts && <Skeleton height={72} radius={10} aria-hidden />}
      {attempts?.length === 0 && (
        <p className={classes.none}>None yet. Every try to publish it is kept here.</p>
      )}
      {attempts && attempts.length > 0 && (
        <ol className={classes.line} reversed>
          {attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} />
          ))}
        </ol>
      )}
      {attempts && attempts.length < total && (
        <p className={classes.none}>
          The latest {attempts.length} of {total}.
        </p>
      )}
    </section>
  );
}

function Attempt({ attempt }: { attempt: Dispatch }) {
  const { tone } = OUTCOMES[attempt.outcome];
  return (
    <li className={classes.attempt} data-tone={tone}>
      <div className={classes.head}>
        <h3>
          Attempt {attempt.attempt}: {TRIGGERS[attempt.trigger].toLowerCase().replace('api', 'API')}
        </h3>
        <StatusBadge {...OUTCOMES[attempt.outcome]} />
      </div>
      <p className={`figures ${classes.times}`}>
        {timesOf(attempt).map(([words, at]) => (
          <time key={words} dateTime={at} title={inFull(at)}>
            {words}
          </time>
        ))}
      </p>
      {attempt.error_message && <p className={classes.reason}>{attempt.error_message}</p>}
      {attempt.mode === 'inbox' && <p className={classes.times}>To the inbox of the account</p>}
      {attempt.publish_id && (
        <p className={classes.id}>
          <span className={classes.label}>Publish id</span>
          <code>{attempt.publish_id}</code>
          <CopyText value={attempt.publish_id} what="the publish id" />
        </p>
      )}
      {attempt.social_status && <p className={classes.times}>The platform said {attempt.social_status}</p>}
    </li>
  );
}

function timesOf({
  scheduled_for,
  started_at,
  accepted_at,
  finished_at,
}: Dispatch): [words: string, at: string][] {
  const began = new Date(started_at).getTime();
  const later = (at: string) => duration(new Date(at).getTime() - began);
  const late = scheduled_for === null ? 0 : began - new Date(scheduled_for).getTime();
  const times: [string, string][] = [
    [`Started ${dateAndTime(started_at)}:${seconds(started_at)}`, started_at],
  ];
  if (scheduled_for)
    times.push([late < 1000 ? 'on time, 0 s late' : `${duration(late)} late`, scheduled_for]);
  if (accepted_at) times.push([`accepted after ${later(accepted_at)}`, accepted_at]);
  if (finished_at) times.push([`ended after ${later(finished_at)}`, finished_at]);
  return times;
}

const seconds = (at: string) => String(new Date(at).getSeconds()).padStart(2, '0');
