// The result of the visit to the platform's consent page.
import type { SocialAccount } from '@airdate/sdk';
import { useMe } from '../api/permissions.js';
import { Note } from '../ui/Note.js';
import { lacksOf } from './health.js';

const REFUSED =
  'The platform refused the connection. Try again; if it happens again, check the app settings there.';

const REASONS: Record<string, string> = {
  access_denied: 'Access was not allowed. The account was not connected, and nothing has changed.',
  stale: 'The link was used before, or is older than ten minutes. Connect again from here.',
  foreign: 'The connection was started in another session or browser. Connect again from here.',
  incomplete: 'The platform sent you back without an answer. Connect again.',
  insufficient_scopes:
    'Neither publishing (video.publish) nor drafts for the inbox (video.upload) were allowed, so nothing could be posted. Connect again and allow at least one of them.',
  quota_exceeded:
    'The organization has as many accounts as it may have. Disconnect one, or ask the operator of this Airdate for more. An account that is here can always be reconnected.',
  platform_refused: REFUSED,
  platform_unavailable:
    'The platform does not answer right now. The account was not connected. Try again in a few minutes.',
};

interface ReturnNoteProps {
  /** The account that was to be reconnected. */
  meant: string | undefined;
  connected: string | undefined;
  error: string | undefined;
  accounts: SocialAccount[] | undefined;
  onClose: () => void;
}

export function ReturnNote({ connected, error, meant, accounts, onClose }: ReturnNoteProps) {
  const organization = useMe().organization.name;
  const wanted = accounts?.find(({ id }) => id === meant);
  if (error !== undefined)
    return (
      <Note
        tone="attention"
        role="alert"
        title={
          wanted ? `@${wanted.username} was not reconnected` : `No account was connected to ${organization}`
        }
        onDismiss={onClose}
      >
        {REASONS[error] ?? `${REFUSED} (${error})`}
      </Note>
    );
  const account = accounts?.find(({ id }) => id === connected);
  if (!account) return null;
  const lacks = lacksOf(account);
  return (
    <Note tone="posted" role="status" title={`Connected as @${account.username}`} onDismiss={onClose}>
      {`${organization} can now post as @${account.username}. `}
      {wanted &&
        wanted.id !== account.id &&
        `You meant to reconnect @${wanted.username}, for which nothing has changed. `}
      {lacks.length === 0
        ? 'Posts can be published to it now. Posts that waited for it go out by themselves.'
        : lacks.map(({ meaning }) => meaning).join(' ')}
    </Note>
  );
}
