// Which service, and with which key: a flag wins over a variable, and a variable over the profile.
import { Airdate } from '@airdate/sdk';
import { EXIT, ExitError } from './exit.js';
import { checkedName, type Profile, readProfiles } from './profiles.js';

export interface Globals {
  profile?: string;
  url?: string;
  json?: boolean;
  quiet?: boolean;
}

export interface Target {
  url: string;
  key: string;
}

type Secret = 'apiKey' | 'adminToken';

const VARIABLES: Record<Secret, string> = { apiKey: 'AIRDATE_API_KEY', adminToken: 'AIRDATE_ADMIN_TOKEN' };

export function targetOf({ profile: flag, url: given }: Globals, secret: Secret = 'apiKey'): Target {
  const profile = chosenProfile(flag);
  // A profile that a flag names is a flag too.
  const variable = (name: string) => (flag === undefined ? process.env[name] || undefined : undefined);
  const url = given ?? variable('AIRDATE_URL') ?? profile?.url;
  if (url === undefined)
    throw noAccess('No service is set. Sign in with `airdate login --url <url>`, or set AIRDATE_URL.');
  const key = variable(VARIABLES[secret]) ?? keyFor(url, profile, secret);
  if (key === undefined)
    throw noAccess(
      secret === 'apiKey'
        ? `There is no key for ${url}. Sign in with \`airdate login\`, or set AIRDATE_API_KEY.`
        : `There is no operator token for ${url}. Sign in with \`airdate login --admin\`, or set AIRDATE_ADMIN_TOKEN.`,
    );
  return { url: checkedUrl(url), key };
}

export const clientOf = ({ url, key }: Target): Airdate => new Airdate({ url, apiKey: key });

export function checkedUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, '');
  throw new ExitError(EXIT.usage, 'The URL of the service must begin with http:// or https://.');
}

function chosenProfile(flag: string | undefined): Profile | undefined {
  const { current, profiles } = readProfiles();
  const named = flag ?? (process.env.AIRDATE_PROFILE || undefined);
  const profile = Object.hasOwn(profiles, named ?? current) ? profiles[named ?? current] : undefined;
  if (named !== undefined && profile === undefined)
    throw noAccess(`There is no profile ${checkedName(named)}. \`airdate profiles\` lists them.`);
  return profile;
}

/** The key of a profile is sent to the service that it belongs to, and to no other. */
const keyFor = (url: string, profile: Profile | undefined, secret: Secret): string | undefined =>
  profile && URL.canParse(url) && new URL(url).origin === new URL(profile.url).origin
    ? profile[secret]
    : undefined;

const noAccess = (message: string): ExitError => new ExitError(EXIT.auth, message);
