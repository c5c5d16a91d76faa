import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { refreshQueries } from '../api/queries.js';
import { useSignOut } from '../auth/queries.js';
import { TextLink } from '../ui/links.js';
import { ProblemNote } from '../ui/Note.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { Time } from '../ui/Time.js';
import { type Session, sessionsQuery } from './queries.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

export function Security() {
  const signOut = useSignOut();
  return (
    <>
      <Sessions />
      <Section title="Sign out" about="Ends your session in this browser only.">
        {signOut.isError && (
          <div className={classes.above}>
            <ProblemNote error={signOut.error} />
          </div>
        )}
        <Button
          variant="default"
          loading={signOut.isPending || signOut.isSuccess}
          onClick={() => signOut.mutate()}
        >
          Sign out
        </Button>
      </Section>
    </>
  );
}

function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: async (ended: Session[]) => {
      for (const { id } of ended) await api.request('DELETE', '/api/v1/auth/sessions/{id}', { path: { id } });
    },
    onSettled: () => refreshQueries(client, sessionsQuery),
  });
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  const isEnding = (session: Session) => end.isPending && end.variables.includes(session);
  return (
    <Section
      title="Sessions"
      about={
        <>
          Where you’re signed in. End any session you don’t recognize, then change your password in{' '}
          <TextLink to="/settings/$section" params={{ section: 'profile' }}>
            your profile
          </TextLink>
          .
        </>
      }
      action={
        others.length > 0 && (
          <Button variant="default" onClick={() => end.mutate(others)} loading={end.isPending}>
            End all others
          </Button>
        )
      }
    >
      {(end.error ?? (sessions.error && !sessions.data)) && (
        <div className={classes.above}>
          <ProblemNote error={end.error ?? sessions.error} onRetry={() => void sessions.refetch()} />
        </div>
      )}
      {sessions.isPending && <Skeleton height={120} />}
      {sessions.data && (
        <ul className={classes.rows} aria-label="Sessions">
          {sessions.data.map((session) => (
            <li key={session.id} className={classes.row}>
              <div className={classes.grow}>
                <p className={classes.strong}>
                  {deviceOf(session.user_agent)}
                  {session.current && <StatusBadge tone="posted" label="This session" />}
                </p>
                <p className={classes.soft}>
                  {session.ip && <>{session.ip} · </>}last seen <Time at={session.last_seen_at} /> · signed in{' '}
                  <Time at={session.created_at} />
                </p>
              </div>
              {!session.current && (
                <Button
                  variant="default"
                  size="xs"
                  h={32}
                  loading={isEnding(session)}
                  onClick={() => end.mutate([session])}
                  aria-label={`End the session in ${deviceOf(session.user_agent)}`}
                >
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

// "Firefox on Windows", from the user agent. Rough: its owner only has to recognize it.

/** The first that matches: many claim to be others as well. */
const BROWSERS: [name: string, sign: RegExp][] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
  ['curl', /^curl\//],
];

const SYSTEMS: [name: string, sign: RegExp][] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
];

function deviceOf(userAgent: string | null): string {
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown browser';
}

const nameIn = (known: [string, RegExp][], userAgent: string | null) =>
  known.find(([, sign]) => sign.test(userAgent ?? ''))?.[0];
