import type { ApiKey } from '@airdate/sdk/core';
import { Button, NativeSelect } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.js';
import { meQuery, quotasQuery, refreshQueries, useMe } from '../api/queries.js';
import { asRole, ROLES, type Role, roleLabel, rolesGivenBy } from '../text/roles.js';
import { showActionNotice, showFailure } from '../ui/action-notice.js';
import { Cell, DataTable } from '../ui/DataTable.js';
import { ConfirmDialog } from '../ui/lazy.js';
import { ProblemNote } from '../ui/Note.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { Time } from '../ui/Time.js';
import { Invitations } from './Invitations.js';
import { InviteDialog } from './InviteDialog.js';
import { keysQuery, type Member, membersQuery } from './queries.js';
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
  const keys = useQuery(keysQuery);
  const [leaving, setLeaving] = useState<Member | null>(null);
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
        {leaving && aboutKeys(leaving, keys.data)}
      </ConfirmDialog>
    </>
  );
}

/** Programs of the organization may use these keys, so the dialog warns. */
function aboutKeys(member: Member, keys: ApiKey[] | undefined): string {
  const whose = member.is_you ? 'you' : 'they';
  // The list may have more pages, so the total is not known.
  const all = keys && keys.length < 100 ? keys : undefined;
  const count = all?.filter(({ created_by }) => created_by?.id === member.id).length;
  if (count === 0) return '';
  const which = count === undefined ? 'API keys' : count === 1 ? 'The API key' : `The ${count} API keys`;
  const verb = count === 1 ? 'stops' : 'stop';
  return `${which} ${whose} created ${verb} working too. Replace ${count === 1 ? 'it' : 'them'} first in any app that needs ${count === 1 ? 'it' : 'them'}.`;
}

interface MemberRowProps {
  member: Member;
  chosen: Role;
  onChoose: (role: Role) => void;
  onRemove: () => void;
}

function MemberRow({ member, chosen, onChoose, onRemove }: MemberRowProps) {
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
