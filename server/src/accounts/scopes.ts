// What a person is asked to allow, and what is lost without each of it.

export const DIRECT = 'video.publish';
export const INBOX = 'video.upload';

/**
 * The name and the picture of the account, and both ways to publish. Nothing else: an app that asks for what it does not need
 * is refused by the platform, and mistrusted by people.
 */
export const ASKED_SCOPES: readonly string[] = ['user.info.basic', DIRECT, INBOX];

/** As sentences of the page that a connection ends in. */
const WITHOUT: Readonly<Record<string, string>> = {
  [DIRECT]: 'Publishing was not allowed, so posts cannot be published directly, only put into the inbox.',
  [INBOX]: 'Drafts were not allowed, so posts cannot be put into the inbox, only published directly.',
};

export const canPublish = (granted: readonly string[]) => granted.includes(DIRECT) || granted.includes(INBOX);

/** What cannot be done with these, in words. */
export const lackOf = (granted: readonly string[]): { scope: string; meaning: string }[] =>
  Object.entries(WITHOUT)
    .filter(([scope]) => !granted.includes(scope))
    .map(([scope, meaning]) => ({ scope, meaning }));

/** How a row keeps them. */
export const joinScopes = (scopes: readonly string[]): string => scopes.join(' ');
export const splitScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');
