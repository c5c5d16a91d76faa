// A call in the shell.
import { ANY_ADDRESS } from '@airdate/server/src/http/own-address.js';
import { type Call, type Credentials, urlOf } from './call.js';

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
  const preset = body === undefined ? 'GET' : 'POST';
  return [
    `curl ${method === preset ? '' : `-X ${method} `}${quoted(urlOf(call))}`,
    ...HEADERS[credentials],
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d ${quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
        ]),
  ].join(' \\\n  ');
}

/** For a shell: unchanged if nothing in it means something there. */
const quoted = (text: string): string =>
  /^[\w/:.=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
