import { ApiError, messageOf } from '../api/client.js';
import { Note } from '../ui/Note.js';

/** Why signing in or up failed. Empty when one of the fields shows it already. */
export function EntryProblem({ error, fields }: { error: unknown; fields: string[] }) {
  if (error === null) return null;
  if (error instanceof ApiError && fields.some((field) => error.of(field))) return null;
  return (
    <Note tone="attention" role="alert">
      {messageOf(error)}
    </Note>
  );
}
