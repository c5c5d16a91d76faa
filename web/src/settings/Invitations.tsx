import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.js';
import { quotasQuery, refreshQueries, useMe } from '../api/queries.js';
import { roleLabel, rolesGivenBy } from '../text/roles.js';
import { ConfirmDialog } from '../ui/lazy.js';
import { ProblemNote } from '../ui/Note.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { Time } from '../ui/Time.js';
import { NewLinkDialog, nameOf } from './NewLinkDialog.js';
import { type Invitation, invitationsQuery } from './queries.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

/** Links that were created and not used yet. Absent when there are none. */
export function Invitations() {
  const client = useQueryClient();
  const { role: own } = useMe();
  const invitations = useQuery(invitationsQuery);
  const [leaving, setLeaving] = useState<Invitation | null>(null);
  const [renewing, setRenewing] = useState<Invitation | null>(null);
  const [isRenewing, renewal] = useDisclosure(false);
  const revoke = async () => {
    if (!leaving) return;
    await api.request('DELETE', '/api/v1/invitations/{id}', { path: { id: leaving.id } });
    client.setQueryData(invitationsQuery.queryKey, (all) => all?.filter(({ id }) => id !== leaving.id));
    void refreshQueries(client, quotasQuery);
  };
  if (invitations.error && !invitations.data) return <ProblemNote query={invitations} />;
  if (!invitations.data?.length && !leaving && !renewing) return null;
  return (
    <Section title="Open invitations">
      <div className={classes.quota}>
        <QuotaBar name="invitations" />
      </div>
      <ul className={classes.rows}>
        {invitations.data?.map((invitation) => (
          <li key={invitation.id} className={classes.row}>
            <div className={classes.grow}>
              <p className={classes.strong}>{nameOf(invitation)}</p>
              <p className={classes.soft}>
                {roleLabel(invitation.role)}
                {invitation.invited_by && `, invited by ${invitation.invited_by}`}, expires{' '}
                <Time at={invitation.expires_at} />
              </p>
            </div>
            {rolesGivenBy(own).some(({ role }) => role === invitation.role) && (
              <Button
                variant="default"
                size="xs"
                h={32}
                onClick={() => {
                  setRenewing(invitation);
                  renewal.open();
                }}
                aria-label={`New link for ${nameOf(invitation)}`}
              >
                New link…
              </Button>
            )}
            <Button
              variant="default"
              size="xs"
              h={32}
              onClick={() => setLeaving(invitation)}
              aria-label={`Revoke the invitation for ${nameOf(invitation)}`}
            >
              Revoke…
            </Button>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title="Revoke the invitation?"
        act="Revoke invitation"
        onConfirm={revoke}
      >
        The link for {leaving && nameOf(leaving)} ({leaving && roleLabel(leaving.role)}) stops working
        immediately.
      </ConfirmDialog>
      {renewing && (
        <NewLinkDialog
          key={renewing.id}
          invitation={renewing}
          isOpen={isRenewing}
          onClose={renewal.close}
          onGone={() => setRenewing(null)}
        />
      )}
    </Section>
  );
}
