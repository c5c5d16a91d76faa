// Every publish attempt, newest first: its trigger, time, lateness and outcome.
import type { Dispatch } from '@airdate/sdk/core';
import { Skeleton } from '@mantine/core';
import { usePlatform } from '../api/platform.js';
import { inBrief, named } from '../text/api-text.js';
import { OUTCOMES } from '../text/status.js';
import { dateAndSeconds, duration, inFull } from '../text/time.js';
import { CopyText } from '../ui/CopyText.js';
import { TechnicalDetails } from '../ui/Note.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { useTimeFormat } from '../ui/Time.js';
import classes from './Attempts.module.css';

const TRIGGERS: Record<Dispatch['trigger'], string> = {
  api: 'through the API',
  dashboard: 'from the dashboard',
  schedule: 'scheduled',
  retry: 'automatic retry',
};

export function Attempts({ attempts, total }: { attempts: Dispatch[] | undefined; total: number }) {
  return (
    <section aria-labelledby="attempts">
      <h2 className={classes.heading} id="attempts">
        Attempts{total > 0 ? ` (${total})` : ''}
      </h2>
      {!attempts && <Skeleton height={72} radius={10} aria-hidden />}
      {attempts?.length === 0 && <p className={classes.none}>No attempts yet.</p>}
      {attempts && attempts.length > 0 && (
        <ol className={classes.line} reversed>
          {attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} />
          ))}
        </ol>
      )}
      {attempts && attempts.length < total && (
        <p className={classes.none}>
          Showing the latest {attempts.length} of {total}.
        </p>
      )}
    </section>
  );
}

function Attempt({ attempt }: { attempt: Dispatch }) {
  const { tone } = OUTCOMES[attempt.outcome];
  useTimeFormat();
  const platform = usePlatform();
  return (
    <li className={classes.attempt} data-tone={tone}>
      <div className={classes.head}>
        <h3>
          Attempt {attempt.attempt}, {TRIGGERS[attempt.trigger]}
        </h3>
        <StatusBadge {...OUTCOMES[attempt.outcome]} />
      </div>
      <p className={`figures ${classes.times}`}>
        {timesOf(attempt).map(([text, at]) => (
          <time key={text} dateTime={at} title={inFull(at)}>
            {text}
          </time>
        ))}
      </p>
      {attempt.error_message && (
        <p className={classes.reason}>{named(inBrief(attempt.error_message), platform)}</p>
      )}
      {attempt.mode === 'inbox' && <p className={classes.times}>Sent to the inbox</p>}
      {(attempt.publish_id || attempt.social_status || attempt.error_code) && (
        <div className={classes.technical}>
          <Ids attempt={attempt} />
        </div>
      )}
    </li>
  );
}

function Ids({ attempt: { publish_id, social_status, error_code } }: { attempt: Dispatch }) {
  const { name } = usePlatform();
  return (
    <TechnicalDetails>
      {publish_id && (
        <p className={classes.id}>
          <span className={classes.label}>Publish ID</span>
          <code>{publish_id}</code>
          <CopyText value={publish_id} what="the publish ID" />
        </p>
      )}
      {social_status && (
        <p className={classes.id}>
          <span className={classes.label}>Last status from {name}</span>
          <code>{social_status}</code>
        </p>
      )}
      {error_code && (
        <p className={classes.id}>
          <span className={classes.label}>Code</span>
          <code>{error_code}</code>
        </p>
      )}
    </TechnicalDetails>
  );
}

/** What an outcome is called before its time: "live after 3 s". */
const OUTCOME_TEXTS: Partial<Record<Dispatch['outcome'], string>> = {
  published: 'live',
  in_inbox: 'in the inbox',
  failed: 'failed',
};

/** The outcome that a person entered, who looked for the post and did not find it. */
const NOT_FOUND = 'resolved_not_posted';

function timesOf({
  scheduled_for,
  started_at,
  accepted_at,
  finished_at,
  outcome,
  error_code,
}: Dispatch): [text: string, at: string][] {
  const began = new Date(started_at).getTime();
  const later = (at: string) => {
    const ms = new Date(at).getTime() - began;
    return ms < 500 ? 'immediately' : `after ${duration(ms)}`;
  };
  const late = scheduled_for === null ? 0 : began - new Date(scheduled_for).getTime();
  const times: [string, string][] = [[`Started ${dateAndSeconds(started_at)}`, started_at]];
  if (scheduled_for) times.push([late < 1000 ? 'on time' : `${duration(late)} late`, scheduled_for]);
  if (accepted_at) times.push([`accepted ${later(accepted_at)}`, accepted_at]);
  // Without an acceptance it is a member who said that the post is live, and when it went live is not known.
  const isSaidByMember = error_code === NOT_FOUND || (outcome === 'published' && accepted_at === null);
  const text = isSaidByMember ? 'resolved by a person' : (OUTCOME_TEXTS[outcome] ?? 'ended');
  if (finished_at) times.push([`${text} ${later(finished_at)}`, finished_at]);
  return times;
}
