import { Button } from '@mantine/core';
import { useMe } from '../api/queries.js';
import { AuthFrame } from '../auth/AuthFrame.js';
import { useSignOut } from '../auth/queries.js';
import { SecondFactor } from './SecondFactor.js';
import classes from './Settings.module.css';

/** All that a member sees who lacks the second factor that the organization requires. */
export function FactorGate({ onAdding }: { onAdding: (isAdding: boolean) => void }) {
  const { organization } = useMe();
  const signOut = useSignOut();
  return (
    <AuthFrame
      title="Add a second factor to continue"
      about={`${organization.name} asks every member for one. Nothing else is open to you until then; what you scheduled goes out as planned.`}
      aside={
        <Button variant="default" onClick={() => signOut.mutate()} loading={signOut.isPending}>
          Sign out
        </Button>
      }
    >
      <div className={classes.below}>
        <SecondFactor onAdding={onAdding} />
      </div>
    </AuthFrame>
  );
}
