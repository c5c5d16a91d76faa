// The result of the visit to the platform's consent page.
import type { SocialAccount } from '@airdate/sdk';
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
  platform_refused: REFUSED,
  platform_unavailable:
    'The platform does not answer right now. The account was not connected. Try again in a few minutes.',
};

interface ReturnNoteProps {
  connected: string | undefined;
  error: string | undefined;
  accounts: SocialAccount[] | undefined;
  onClose: () => void;
}

export function ReturnNote({ connected, error, accounts, onClose }: ReturnNoteProps) {
  if (error !== undefined)
    return (
      <Note tone="attention" role="alert" title="The account was not connected" onDismiss={onClose}>
        {REASONS[error] ?? `${REFUSED} (${error})`}
      </Note>
    );
  const account = accounts?.find(({ id }) => id === connected);
  if (!account) return null;
  const lacks = lacksOf(account);
  return (
    <Note tone="posted" role="status" title={`Connected as @${account.username}`} onDismiss={onClose}>
      {lacks.length === 0
        ? 'Posts can be published to it now. Posts that waited for it go out by themselves.'
        : lacks.map(({ meaning }) => meaning).join(' ')}
    </Note>
  );
}
