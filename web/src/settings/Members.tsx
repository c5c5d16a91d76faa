import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { UserPlus } from 'lucide-react';
import { ROLES } from '../text/roles.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { Invitations } from './Invitations.js';
import { InviteDialog } from './InviteDialog.js';
import { MembersTable } from './MembersTable.js';
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
          <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={invite.open}>
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
