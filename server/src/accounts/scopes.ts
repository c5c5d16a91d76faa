// The scopes a person is asked for, and what is not possible without each.

export const DIRECT = 'video.publish';
export const INBOX = 'video.upload';

/**
 * The account's name and picture, and both ways to publish. Nothing else: the platform rejects apps that ask for more than
 * they need, and people mistrust them.
 */
export const ASKED_SCOPES: readonly string[] = ['user.info.basic', DIRECT, INBOX];

/** Sentences for the page at the end of a connection. */
const WITHOUT: Readonly<Record<string, string>> = {
  [DIRECT]: 'Publishing was not allowed, so posts can only be sent to the inbox, not published directly.',
  [INBOX]: 'Inbox drafts were not allowed, so posts can only be published directly, not sent to the inbox.',
};

export const canPublish = (granted: readonly string[]) => granted.includes(DIRECT) || granted.includes(INBOX);

/** What is not possible with these scopes, in words. */
export const lackOf = (granted: readonly string[]): { scope: string; meaning: string }[] =>
  Object.entries(WITHOUT)
    .filter(([scope]) => !granted.includes(scope))
    .map(([scope, meaning]) => ({ scope, meaning }));

/** The format stored in a row. */
export const joinScopes = (scopes: readonly string[]): string => scopes.join(' ');
export const splitScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');
