// A call in the shell.
import { ANY_ADDRESS } from '@airdate/server/src/http/own-address.js';
import { type Call, type Credentials, urlOf } from './call.js';
import { ownIdsOf, withNames } from './own-ids.js';

const PAGE = [`-H 'X-Airdate: dashboard'`, `-H 'Origin: ${ANY_ADDRESS}'`];
const HEADERS: Readonly<Record<Credentials, string[]>> = {
  key: ['-H "Authorization: Bearer $AIRDATE_API_KEY"'],
  operator: ['-H "Authorization: Bearer $ADMIN_TOKEN"'],
  session: ['-H "Cookie: $AIRDATE_COOKIE"', ...PAGE],
  page: PAGE,
  none: [],
};

export function curl(call: Call): string {
  const { method, body, credentials } = call;
  const ids = ownIdsOf(call);
  const preset = body === undefined ? 'GET' : 'POST';
  const address = urlOf(call);
  const named = withNames(address, ids, ({ name, value }) => [value, `$$${name.toUpperCase()}`]);
  const command = [
    `curl ${method === preset ? '' : `-X ${method} `}${named === address ? quoted(address) : `"${named}"`}`,
    ...HEADERS[credentials],
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          // Between the quotation marks, which end before a variable and begin again after it.
          `-d ${withNames(quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')), ids, ({ name, value }) => [value, `'$$${name.toUpperCase()}'`])}`,
        ]),
  ].join(' \\\n  ');
  // On lines of their own: zsh takes a comment behind an assignment for a command.
  return [
    ...ids.flatMap(({ name, value, meaning }) => [
      `# ${meaning[0]?.toUpperCase()}${meaning.slice(1)}:`,
      `${name.toUpperCase()}=${value}`,
    ]),
    command,
  ].join('\n');
}

/** For a shell: unchanged if nothing in it means something there. */
const quoted = (text: string): string =>
  /^[\w/:.=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
