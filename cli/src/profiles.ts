// Installations that a person has signed in to, in a file that only they can read.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT, ExitError } from './exit.js';

export interface Profile {
  url: string;
  apiKey?: string;
  /** For `airdate admin`: the operator's ADMIN_TOKEN. */
  adminToken?: string;
}

export interface Profiles {
  /** The one in use. */
  current: string;
  profiles: Record<string, Profile>;
}

const NAME = /^[\w.-]{1,64}$/;

export const profilesFile = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'airdate', 'config.json');

export function readProfiles(): Profiles {
  const path = profilesFile();
  if (!existsSync(path)) return { current: 'default', profiles: {} };
  // Not on Windows, where modes say nothing.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  try {
    const { current, profiles } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Profiles>;
    return { current: current ?? 'default', profiles: { ...profiles } };
  } catch {
    // The file is not quoted: it contains keys.
    throw new ExitError(
      EXIT.failure,
      `${path} is not valid JSON. Repair it, or delete it and sign in again.`,
    );
  }
}

/** Written beside it first, so that it is whole or unchanged. */
export function writeProfiles(profiles: Profiles): void {
  const path = profilesFile();
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

export function checkedName(name: string): string {
  if (NAME.test(name) && name !== '__proto__') return name;
  throw new ExitError(EXIT.usage, 'The name of a profile has letters, digits, dots and dashes.');
}
