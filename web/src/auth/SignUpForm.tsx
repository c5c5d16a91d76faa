import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.js';
import { fieldError } from '../ui/field-error.js';
import { NewPersonForm } from './NewPersonForm.js';
import { useRedirectAfterSignIn } from './useRedirectAfterSignIn.js';

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
