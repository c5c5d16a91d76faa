import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { refreshQueries, useMay } from '../api/queries.js';
import { useSignOut } from '../auth/queries.js';
import { TextLink } from '../ui/links.js';
import { ProblemNote } from '../ui/Note.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { Time } from '../ui/Time.js';
import { keysQuery, type Session, sessionsQuery } from './queries.js';
import { SecondFactor } from './SecondFactor.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

export function Security() {
  const signOut = useSignOut();
  return (
    <>
      <SecondFactor />
      <Sessions />
      <UnusedKeys />
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

const UNUSED_DAYS = 90;

/** A key that no app uses helps only the one who finds it. Absent if there are none. */
function UnusedKeys() {
  const may = useMay('org:manage');
  const { data: keys } = useQuery({ ...keysQuery, enabled: may });
  const since = Date.now() - UNUSED_DAYS * 86_400_000;
  const unused = keys?.filter((key) => Date.parse(key.last_used_at ?? key.created_at) < since) ?? [];
  if (unused.length === 0) return null;
  return (
    <Section
      title="Unused API keys"
      about={
        <>
          No app has used these for {UNUSED_DAYS} days. Revoke what you don’t need in{' '}
          <TextLink to="/settings/$section" params={{ section: 'keys' }}>
            API keys
          </TextLink>
          .
        </>
      }
    >
      <ul className={classes.rows} aria-label="Unused API keys">
        {unused.map((key) => (
          <li key={key.id} className={classes.row}>
            <div className={classes.grow}>
              <p className={classes.strong} dir="auto">
                {key.name}
              </p>
              <p className={classes.soft}>
                {key.prefix}… ·{' '}
                {key.last_used_at ? (
                  <>
                    last used <Time at={key.last_used_at} />
                  </>
                ) : (
                  <>
                    never used, created <Time at={key.created_at} />
                  </>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: ([only, ...more]: Session[]) =>
      only && more.length === 0
        ? api.request('DELETE', '/api/v1/auth/sessions/{id}', { path: { id: only.id } })
        : api.request('DELETE', '/api/v1/auth/sessions'),
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
            Sign out everywhere else
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
