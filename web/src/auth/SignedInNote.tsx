import { useQuery } from '@tanstack/react-query';
import { TextLink } from '../ui/links.js';
import { Note } from '../ui/Note.js';
import { signedInQuery } from './queries.js';

/** For a person who opens an invitation while signed in, maybe as someone else: joining is another account. */
export function SignedInNote() {
  const person = useQuery(signedInQuery).data;
  if (!person) return null;
  return (
    <Note tone="publishing" role="status">
      <strong>You’re signed in as {person.name ?? person.email}</strong>
      {person.organization && ` in ${person.organization}`}. Joining creates another account and signs you out
      of this one. Not for you? <TextLink to="/library">Go to your library</TextLink>
    </Note>
  );
}
