import { Airdate } from '@airdate/sdk';
import type { Command } from 'commander';
import { ask, askSecret, isTerminal } from '../ask.js';
import { checkedUrl } from '../connection.js';
import { action, type Context } from '../context.js';
import { EXIT, ExitError, usage } from '../exit.js';
import { column } from '../output.js';
import { checkedName, profilesFile, readProfiles, writeProfiles } from '../profiles.js';

const HERE = 'http://localhost:3000';

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('sign in: check a key and store it in a profile')
    .option('--admin', 'sign in as the operator, with ADMIN_TOKEN')
    .addHelpText(
      'after',
      `
Prompts for the key, or reads it from stdin. It is stored in ${profilesFile()}, which only you can read.

Examples:
  $ airdate login --url https://airdate.example.com
  $ airdate login --profile staging --url https://staging.example.com < key.txt`,
    )
    .action(action(login));
  program
    .command('logout')
    .description('remove the keys of a profile from this computer')
    .action(action(logout));
  program
    .command('whoami')
    .description('show the organization and the scopes of the key')
    .action(
      action(async ({ airdate, output }) => {
        const me = await airdate.organization.me();
        const { organization, scopes } = me;
        output.object(
          output.isJson
            ? me
            : {
                service: airdate.url,
                organization: organization.name,
                plan: organization.plan,
                scopes: scopes.join(' '),
              },
        );
      }),
    );
  const profiles = program.command('profiles').description('list profiles').action(action(listProfiles));
  profiles
    .command('use')
    .description('choose the profile to use from now on')
    .argument('<name>')
    .action(action(chooseProfile));
}

async function login({ globals, output, signal }: Context, { admin }: { admin?: boolean }): Promise<void> {
  const saved = readProfiles();
  const name = checkedName(globals.profile ?? (process.env.AIRDATE_PROFILE || saved.current));
  const before = Object.hasOwn(saved.profiles, name) ? saved.profiles[name] : undefined;
  const known = globals.url ?? (process.env.AIRDATE_URL || before?.url);
  if (known === undefined && !isTerminal()) throw usage('Name the service: --url or AIRDATE_URL.');
  const isInteractive = globals.url === undefined && isTerminal();
  const url = checkedUrl(isInteractive ? await ask('URL of the service', known ?? HERE) : (known ?? HERE));
  const secret = await askSecret(admin ? 'Operator token' : 'API key');
  const airdate = new Airdate({ url, apiKey: secret });
  const who = admin
    ? await airdate.admin.organizations({ per_page: 1 }, { signal }).then(() => 'the operator')
    : (await airdate.organization.me({ signal })).organization.name;
  // Keys of another service do not belong to this one.
  const existing = before?.url === url ? before : {};
  const profile = { ...existing, url, ...(admin ? { adminToken: secret } : { apiKey: secret }) };
  writeProfiles({ current: name, profiles: { ...saved.profiles, [name]: profile } });
  output.say(`Signed in to ${url} as ${who}. The profile is "${name}".`);
}

function logout({ globals, output }: Context): void {
  const { current, profiles } = readProfiles();
  const name = checkedName(globals.profile ?? (process.env.AIRDATE_PROFILE || current));
  if (!Object.hasOwn(profiles, name)) throw new ExitError(EXIT.notFound, `There is no profile "${name}".`);
  delete profiles[name];
  writeProfiles({ current, profiles });
  output.say(
    `Removed the keys of "${name}" from this computer. They stay valid: \`airdate keys revoke\` revokes one.`,
  );
}

function listProfiles({ output }: Context): void {
  const { current, profiles } = readProfiles();
  const rows = Object.entries(profiles).map(([name, { url, apiKey, adminToken }]) => ({
    name,
    url,
    current: name === current,
    has_key: apiKey !== undefined,
    has_admin_token: adminToken !== undefined,
  }));
  output.table(rows, [
    column('', ({ current }) => (current ? '*' : '')),
    column('NAME', ({ name }) => name),
    column('SERVICE', ({ url }) => url),
    column('OPERATOR', ({ has_admin_token }) => (has_admin_token ? 'yes' : '')),
  ]);
}

function chooseProfile({ output }: Context, _options: object, name: string): void {
  const { profiles } = readProfiles();
  if (!Object.hasOwn(profiles, name)) throw new ExitError(EXIT.notFound, `There is no profile "${name}".`);
  writeProfiles({ current: name, profiles });
  output.say(`The current profile is now "${name}".`);
}
