// Granted scopes, in the format stored in a row.

export const joinScopes = (scopes: readonly string[]): string => scopes.join(' ');
export const splitScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');
