import { AuthFrame } from './AuthFrame.js';
import { SignUpForm } from './SignUpForm.js';

/** For the first visitor of a new installation, at sign-in and at sign-up. */
export const FirstAccount = ({ next }: { next: string | undefined }) => (
  <AuthFrame
    title="Create the first account"
    about="No one has signed up here yet. You’ll own the organization and can invite your team."
  >
    <SignUpForm next={next} />
  </AuthFrame>
);
