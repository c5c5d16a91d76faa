// Accounts by user name, as people know them.
import type { Context } from './context.js';
import { EXIT, ExitError, usage } from './exit.js';

const ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export const isId = (text: string): boolean => ID.test(text);

export async function resolveAccountId({ airdate, signal }: Context, nameOrId: string): Promise<string> {
  if (isId(nameOrId)) return nameOrId;
  const name = nameOrId.replace(/^@/, '').toLowerCase();
  for await (const account of airdate.accounts.list({}, { signal }))
    if (account.username.toLowerCase() === name) return account.id;
  throw new ExitError(
    EXIT.notFound,
    `No account is called ${nameOrId}. \`airdate accounts list\` shows them.`,
  );
}

/** The only account that is connected. */
export async function onlyAccountId({ airdate, signal }: Context): Promise<string> {
  const { data } = await airdate.accounts.list({}, { signal });
  const [only, ...others] = data.filter(({ status }) => status === 'connected');
  if (!only) throw usage('No account is connected. Connect one with `airdate accounts connect`.');
  if (others.length > 0) throw usage('Choose the account: --account.');
  return only.id;
}

/** After `reconnect_required`. */
export const howToReconnect = (name = 'NAME'): string =>
  `Connect the account again with: airdate accounts connect --again ${name}${name === 'NAME' ? ' (`airdate accounts` shows the names)' : ''}`;
