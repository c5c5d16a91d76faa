import { Button, NativeSelect, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.js';
import { meQuery, quotasQuery, refreshQueries, useMe } from '../api/queries.js';
import { asRole, ROLES, type Role, roleLabel, rolesGivenBy } from '../text/roles.js';
import { showActionNotice, showFailure } from '../ui/action-notice.js';
import { Cell, DataTable } from '../ui/DataTable.js';
import { Dots } from '../ui/IconButton.js';
import { ConfirmDialog, lazyOpened } from '../ui/lazy.js';
import { ProblemNote } from '../ui/Note.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { Time } from '../ui/Time.js';
import { EndingGroup, times } from './EndingGroup.js';
import { Invitations } from './Invitations.js';
import { InviteDialog } from './InviteDialog.js';
import { keysQuery, type Member, memberQuery, membersQuery } from './queries.js';
import { ResetLinkDialog } from './ResetLinkDialog.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

export function Members() {
  const [isInviting, invite] = useDisclosure(false);
  return (
    <>
      <Section
        title="Members"
        about="People who can use this dashboard. Removed members lose access immediately."
        action={
          <Button leftSection={<UserPlus size={16} />} onClick={invite.open}>
            Invite
          </Button>
        }
      >
        <div className={classes.quota}>
          <QuotaBar name="members" />
        </div>
        <MembersTable />
      </Section>
      <Invitations />
      <Section title="Roles">
        <dl className={classes.terms}>
          {ROLES.map(({ role, label, may }) => (
            <div key={role}>
              <dt>{label}</dt>
              <dd>{may}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <InviteDialog isOpen={isInviting} onClose={invite.close} />
    </>
  );
}

const MoreMenu = lazyOpened('menu', async () => (await import('./MemberMenu.js')).MemberMenu);

const COLUMNS = ['Person', 'Role', 'Joined', 'Last seen', '-Actions'];

interface Change {
  id: string;
  role: Role;
  /** The role before, to which it can be changed back. Absent when that is being done. */
  was?: Role;
}

function MembersTable() {
  const client = useQueryClient();
  const members = useQuery(membersQuery);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const [signedOut, setSignedOut] = useState<Member | null>(null);
  const [linked, setLinked] = useState<Member | null>(null);
  const [isLinking, linking] = useDisclosure(false);
  const change = useMutation({
    mutationFn: ({ id, role }: Change) =>
      api.data('PATCH', '/api/v1/members/{id}', { path: { id }, body: { role } }),
    onSuccess: (changed, { was }) => {
      client.setQueryData(membersQuery.queryKey, (all) =>
        all?.map((member) => (member.id === changed.id ? changed : member)),
      );
      // The person's own permissions may have changed with it.
      if (changed.is_you) void refreshQueries(client, meQuery);
      const { id, name, role } = changed;
      if (was === undefined) return;
      showActionNotice({
        id: `role-${id}`,
        text: `${changed.is_you ? 'You’re' : `${name} is`} now ${asRole(role)}.`,
        // With a lower role of their own, members cannot take the old one back.
        button: changed.is_you
          ? undefined
          : { label: 'Undo', onClick: () => change.mutate({ id, role: was }) },
      });
    },
    // The screen may be another one by then.
    onError: (error, { was }) => {
      if (was === undefined) showFailure('The role wasn’t changed back', error);
    },
  });
  const remove = async () => {
    if (!leaving) return;
    await api.request('DELETE', '/api/v1/members/{id}', { path: { id: leaving.id } });
    client.setQueryData(membersQuery.queryKey, (all) => all?.filter(({ id }) => id !== leaving.id));
    void refreshQueries(client, keysQuery, quotasQuery);
    if (leaving.is_you) window.location.assign('/sign-in');
  };
  if (members.error && !members.data) return <ProblemNote query={members} />;
  return (
    <>
      {change.isError && change.variables.was !== undefined && (
        <div className={classes.above}>
          <ProblemNote error={change.error} onDismiss={change.reset} />
        </div>
      )}
      <DataTable label="Members" columns={COLUMNS} rows={members.data} none="No members yet.">
        {(member) => (
          <MemberRow
            key={member.id}
            member={member}
            chosen={
              change.isPending && change.variables.id === member.id ? change.variables.role : member.role
            }
            onChoose={(role) => change.mutate({ id: member.id, role, was: member.role })}
            onRemove={() => setLeaving(member)}
            onSignOut={() => setSignedOut(member)}
            onResetLink={() => {
              setLinked(member);
              linking.open();
            }}
          />
        )}
      </DataTable>
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={leaving?.is_you ? 'Leave the organization?' : `Remove ${leaving?.name ?? ''}?`}
        act={leaving?.is_you ? 'Leave' : 'Remove'}
        onConfirm={remove}
      >
        {leaving?.is_you
          ? 'You’ll be signed out everywhere immediately, and need a new invitation to come back.'
          : `${leaving?.name} (${leaving?.email}) will be signed out everywhere immediately. Their posts stay. A new invitation lets them back in.`}{' '}
        {leaving && <RemovalEffects member={leaving} />}
      </ConfirmDialog>
      <ConfirmDialog
        opened={signedOut !== null}
        onClose={() => setSignedOut(null)}
        title={`Sign ${signedOut?.name ?? ''} out everywhere?`}
        act="Sign out everywhere"
        onConfirm={async () => {
          if (!signedOut) return;
          await api.request('DELETE', '/api/v1/members/{id}/sessions', { path: { id: signedOut.id } });
          showActionNotice({
            id: `sessions-${signedOut.id}`,
            text: `${signedOut.name} is signed out everywhere.`,
          });
        }}
      >
        {signedOut?.name} has to sign in again on every device. Text that isn’t saved yet stays in their
        browser, and their API keys keep working.
      </ConfirmDialog>
      {linked && (
        <ResetLinkDialog
          key={linked.id}
          member={linked}
          isOpen={isLinking}
          onClose={linking.close}
          onGone={() => setLinked(null)}
        />
      )}
    </>
  );
}

/** What ends with the member: apps of the organization may use their keys, so the dialog names them. */
function RemovalEffects({ member }: { member: Member }) {
  const details = useQuery(memberQuery(member.id));
  if (details.isPending) return <Skeleton height={40} mt="sm" />;
  if (details.isError) return <ProblemNote query={details} />;
  const { keys, keys_ending, invitations, invitations_ending, webhooks } = details.data;
  return (
    <>
      <EndingGroup
        title={`Revokes ${times(keys_ending, 'API key')}; apps that use ${keys_ending === 1 ? 'it' : 'them'} need another one first`}
        names={keys.map(({ id, name, prefix }) => [id, `${name} (${prefix}…)`])}
        total={keys_ending}
      />
      <EndingGroup
        title={`Withdraws ${times(invitations_ending, 'invitation')}`}
        names={invitations.map(({ id, email, role }) => [
          id,
          `${email ?? 'Anyone with the link'}, as ${asRole(role)}`,
        ])}
        total={invitations_ending}
      />
      <EndingGroup
        title={`Disables ${times(webhooks.length, 'webhook')} set up with these keys`}
        names={webhooks.map(({ id, url, description }) => [id, description ? `${description}: ${url}` : url])}
        total={webhooks.length}
      />
    </>
  );
}

interface MemberRowProps {
  member: Member;
  chosen: Role;
  onChoose: (role: Role) => void;
  onRemove: () => void;
  onSignOut: () => void;
  onResetLink: () => void;
}

function MemberRow({ member, chosen, onChoose, onRemove, onSignOut, onResetLink }: MemberRowProps) {
  const { role: own } = useMe();
  const given = rolesGivenBy(own);
  const isFixed = !given.some(({ role }) => role === member.role);
  return (
    <tr>
      <td>
        <div>
          <div className={classes.strong}>
            <bdi>{member.name}</bdi>
            {member.is_you && <span className={classes.you}>You</span>}
          </div>
          <div className={classes.soft}>{member.email}</div>
        </div>
      </td>
      <Cell of="Role">
        {isFixed ? (
          <span title="Only an owner can change an owner’s role">{roleLabel(member.role)}</span>
        ) : (
          <NativeSelect
            aria-label={`Role of ${member.name}`}
            className={classes.role ?? ''}
            data={given.map(({ role, label }) => ({ value: role, label }))}
            value={chosen}
            onChange={(event) => onChoose(event.currentTarget.value as Role)}
          />
        )}
      </Cell>
      <Cell of="Joined">
        <Time at={member.joined_at} />
      </Cell>
      <Cell of="Last seen">{member.last_seen_at ? <Time at={member.last_seen_at} /> : 'Never'}</Cell>
      <td>
        {!isFixed && !member.is_you && (
          <MoreMenu
            onResetLink={onResetLink}
            onSignOut={own === 'owner' ? onSignOut : undefined}
            button={(props) => <Dots label={`More for ${member.name}`} {...props} />}
          />
        )}
        {!isFixed && (
          <Button
            variant="default"
            size="xs"
            h={32}
            onClick={onRemove}
            aria-label={member.is_you ? 'Leave the organization' : `Remove ${member.name}`}
          >
            {member.is_you ? 'Leave…' : 'Remove…'}
          </Button>
        )}
      </td>
    </tr>
  );
}
