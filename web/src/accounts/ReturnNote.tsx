// The result of the visit to the platform's consent page.
import type { SocialAccount } from '@airdate/sdk/core';
import { useMe } from '../api/permissions.js';
import { usePlatform } from '../api/platform.js';
import { Note } from '../ui/Note.js';
import { missingScopes } from './health.js';

/** Why no account was connected. The API may add reasons: they read like a refusal. */
function reasonFor(error: string, platform: string): string {
  const refused = `${platform} refused the connection. Try again. If it keeps happening, check the app’s settings there.`;
  const reasons: Record<string, string> = {
    access_denied: 'Access was denied. The account isn’t connected, and nothing has changed.',
    stale: 'This link was already used, or it’s more than ten minutes old. Connect again from here.',
    foreign: 'The connection was started in another session or browser. Connect again from here.',
    incomplete: `${platform} sent you back without an answer. Connect again.`,
    insufficient_scopes:
      'Neither publishing (video.publish) nor inbox drafts (video.upload) were allowed, so Airdate couldn’t post anything. Connect again and allow at least one of them.',
    quota_exceeded:
      'Your organization has reached its account limit. Disconnect one, or ask your Airdate administrator for more. You can always reconnect an account that’s already here.',
    platform_refused: refused,
    platform_unavailable: `${platform} isn’t responding, so the account wasn’t connected. Try again in a few minutes.`,
  };
  return reasons[error] ?? `${refused} (${error})`;
}

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
  const { atStart } = usePlatform();
  const wanted = accounts?.find(({ id }) => id === meant);
  if (error !== undefined)
    return (
      <Note
        tone="attention"
        role="alert"
        title={
          wanted ? `@${wanted.username} wasn’t reconnected` : `No account was connected to ${organization}`
        }
        onDismiss={onClose}
      >
        {reasonFor(error, atStart)}
      </Note>
    );
  const account = accounts?.find(({ id }) => id === connected);
  if (!account) return null;
  const lacks = missingScopes(account);
  return (
    <Note tone="posted" role="status" title={`Connected as @${account.username}`} onDismiss={onClose}>
      {`${organization} can now post as @${account.username}. `}
      {wanted &&
        wanted.id !== account.id &&
        `You meant to reconnect @${wanted.username}; that account hasn’t changed. `}
      {lacks.length === 0 ? 'Waiting posts will now publish.' : lacks.map(({ meaning }) => meaning).join(' ')}
    </Note>
  );
}
