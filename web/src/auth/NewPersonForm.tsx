import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { fieldError } from '../ui/field-error.js';
import classes from './Auth.module.css';
import { AuthProblem } from './AuthProblem.js';
import { PasswordField } from './PasswordField.js';
import { isLongEnough } from './password-rule.js';

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
