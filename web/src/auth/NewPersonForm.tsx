import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from '../api/client.js';
import { fieldError } from '../ui/Note.js';
import classes from './Auth.module.css';
import { AuthFrame, AuthProblem } from './AuthFrame.js';
import { isLongEnough, PasswordField } from './PasswordField.js';
import { useRedirectAfterSignIn } from './queries.js';

interface NewPersonFormProps {
  act: string;
  error: unknown;
  isPending: boolean;
  onSubmit: (person: { name: string; email: string; password: string }) => void;
  /** The invited email; no other is accepted. */
  email?: string;
  children?: ReactNode;
  /** The fields in `children`, which show their own errors. */
  fields?: string[];
}

/** The name, email and password of a new person. */
export function NewPersonForm(props: NewPersonFormProps) {
  const { act, error, isPending, onSubmit, children, fields = [] } = props;
  const [name, setName] = useState('');
  const [email, setEmail] = useState(props.email ?? '');
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ name: name.trim(), email: email.trim(), password });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label="Your name"
        autoComplete="name"
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(error, 'name', 'The name')}
      />
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        maxLength={254}
        readOnly={props.email !== undefined}
        // As plain text: there is nothing to edit.
        variant={props.email === undefined ? 'default' : 'unstyled'}
        description={props.email === undefined ? undefined : 'The invitation is for this address'}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={fieldError(error, 'email', 'The email')}
      />
      <PasswordField
        label="Password"
        isNew
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        error={fieldError(error, 'password', 'The password')}
      />
      {children}
      <AuthProblem error={error} fields={['name', 'email', 'password', ...fields]} />
      <Button type="submit" h={44} loading={isPending} disabled={!isLongEnough(password)}>
        {act}
      </Button>
    </form>
  );
}

/** For the first visitor of a new installation, at sign-in and at sign-up. */
export const FirstAccount = ({ next }: { next: string | undefined }) => (
  <AuthFrame
    title="Create your organization"
    about="No one has signed up here yet. You’ll own the organization and can invite your team."
  >
    <SignUpForm next={next} />
  </AuthFrame>
);

/** A new person with a new organization. */
export function SignUpForm({ next }: { next?: string | undefined }) {
  const comeIn = useRedirectAfterSignIn(next);
  const [organization, setOrganization] = useState('');
  const signUp = useMutation({
    mutationFn: (person: { name: string; email: string; password: string }) =>
      api.data('POST', '/api/v1/auth/sign-up', {
        body: { ...person, organization_name: organization.trim() },
      }),
    onSuccess: comeIn,
  });
  return (
    <NewPersonForm
      act="Create account"
      error={signUp.error}
      isPending={signUp.isPending}
      onSubmit={signUp.mutate}
      fields={['organization_name']}
    >
      <TextInput
        label="Organization name"
        description="Your team, brand or company"
        autoComplete="organization"
        required
        withAsterisk={false}
        maxLength={200}
        value={organization}
        onChange={(event) => setOrganization(event.currentTarget.value)}
        error={fieldError(signUp.error, 'organization_name', 'The name')}
      />
    </NewPersonForm>
  );
}
