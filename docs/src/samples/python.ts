// A call with Python's standard library.
import { ANY_ADDRESS } from '@airdate/server/src/http/own-address.js';
import { type Call, type Credentials, urlOf } from './call.js';
import { literal, type Style } from './literal.js';
import { type OwnId, ownIdsOf, withNames } from './own-ids.js';

const STYLE: Style = {
  indent: '    ',
  pad: '',
  text: (value) => JSON.stringify(value),
  name: (value) => JSON.stringify(value),
  constants: { true: 'True', false: 'False', null: 'None' },
};

const PAGE = ['"X-Airdate": "dashboard"', `"Origin": "${ANY_ADDRESS}"`];
const HEADERS: Readonly<Record<Credentials, string[]>> = {
  key: [`"Authorization": f"Bearer {os.environ['AIRDATE_API_KEY']}"`],
  operator: [`"Authorization": f"Bearer {os.environ['ADMIN_TOKEN']}"`],
  session: ['"Cookie": os.environ["AIRDATE_COOKIE"]', ...PAGE],
  page: PAGE,
  none: [],
};

const PRINTED: Readonly<Record<Call['returns'], string>> = {
  list: 'print(json.load(response))',
  object: 'print(json.load(response))',
  text: 'print(response.read().decode())',
  nothing: 'print(response.status)',
};

export function python(call: Call): string {
  const { method, body, credentials, returns } = call;
  const headers = [
    ...HEADERS[credentials],
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const ids = ownIdsOf(call);
  const address = urlOf(call);
  const named = withNames(address, ids, ({ name, value }) => [value, `{${name}}`]);
  const given = [
    `${named === address ? '' : 'f'}"${named}"`,
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length === 0
      ? []
      : [`headers={\n${headers.map((one) => `        ${one},\n`).join('')}    }`]),
    ...(body === undefined
      ? []
      : [`data=json.dumps(${namedIn(literal(body, STYLE, '    '), ids)}).encode()`]),
  ];
  const program = [
    `request = urllib.request.Request(\n${given.map((one) => `    ${one},\n`).join('')})`,
    'with urllib.request.urlopen(request) as response:',
    `    ${PRINTED[returns]}`,
  ].join('\n');
  const modules = ['json', 'os', 'urllib.request'].filter((name) => program.includes(`${name}.`));
  const own = ids.map(({ name, value, meaning }) => `${name} = "${value}"  # ${meaning}\n`).join('');
  return `${modules.map((name) => `import ${name}\n`).join('')}\n${own}${own && '\n'}${program}`;
}

const namedIn = (text: string, ids: OwnId[]): string =>
  withNames(text, ids, ({ name, value }) => [`"${value}"`, name]);
