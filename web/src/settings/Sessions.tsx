import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { TextLink } from '../ui/links.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { Time } from '../ui/Time.js';
import { deviceOf } from './device.js';
import { type Session, sessionsQuery } from './queries.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

export function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: async (ended: Session[]) => {
      for (const { id } of ended) await api.request('DELETE', '/api/v1/auth/sessions/{id}', { path: { id } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  const isEnding = (session: Session) => end.isPending && end.variables.includes(session);
  return (
    <Section
      title="Sessions"
      about={
        <>
          Where you’re signed in. End any session you don’t recognise, then change your password in{' '}
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
