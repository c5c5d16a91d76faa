import { EntryFrame } from './EntryFrame.js';
import { SignUpForm } from './SignUpForm.js';

/** Where nobody is yet, whichever door one came to. */
export const FirstAccount = ({ next }: { next: string | undefined }) => (
  <EntryFrame
    title="Create the first account"
    about="Nobody is here yet. You become the owner of the organization, and invite the others."
  >
    <SignUpForm next={next} />
  </EntryFrame>
);
