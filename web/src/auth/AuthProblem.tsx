import { ApiError, isUnreachable, messageOf } from '../api/client.js';
import { useOutage } from '../api/outage.js';
import { Note } from '../ui/Note.js';
import { NoConnection } from '../ui/ProblemNote.js';

/** Why signing in or up failed. Empty when one of the fields shows it already. */
export function AuthProblem({ error, fields }: { error: unknown; fields: string[] }) {
  const isOut = useOutage();
  if (error === null) return null;
  if (error instanceof ApiError && fields.some((field) => error.of(field))) return null;
  if (isOut && isUnreachable(error)) return <NoConnection />;
  return (
    <Note tone="attention" role="alert">
      {messageOf(error)}
    </Note>
  );
}
