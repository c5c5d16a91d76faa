// The scopes a person is asked for, and what is not possible without each.
import type { ConsentTerms } from '../connector.js';

const DIRECT = 'video.publish';
const INBOX = 'video.upload';

/** Sentences for the page at the end of a connection. */
const WITHOUT: Readonly<Record<string, string>> = {
  [DIRECT]: 'Publishing was not allowed, so posts can only be sent to the inbox, not published directly.',
  [INBOX]: 'Inbox drafts were not allowed, so posts can only be published directly, not sent to the inbox.',
};

export const consent: ConsentTerms = {
  // The account's name and picture, and both ways to publish. Nothing else: the platform rejects apps that ask for more
  // than they need, and people mistrust them.
  scopes: ['user.info.basic', DIRECT, INBOX],
  allowsDirect: (granted) => granted.includes(DIRECT),
  allowsInbox: (granted) => granted.includes(INBOX),
  missingScopes: (granted) =>
    Object.entries(WITHOUT)
      .filter(([scope]) => !granted.includes(scope))
      .map(([scope, meaning]) => ({ scope, meaning })),
};
