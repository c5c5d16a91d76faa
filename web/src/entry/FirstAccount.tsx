import { EntryFrame } from './EntryFrame.js';
import { SignUpForm } from './SignUpForm.js';

/** For the first visitor of a new installation, at sign-in and at sign-up. */
export const FirstAccount = ({ next }: { next: string | undefined }) => (
  <EntryFrame
    title="Create the first account"
    about="This installation has no accounts yet. You become the owner of the organization, and invite the others."
  >
    <SignUpForm next={next} />
  </EntryFrame>
);
