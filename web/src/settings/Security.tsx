import { Button } from '@mantine/core';
import { useSignOut } from '../auth/useSignOut.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { Section } from './Section.js';
import { Sessions } from './Sessions.js';
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
