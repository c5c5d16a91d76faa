// The browsers for the browser tests: named in CHROMIUM_PATH and FIREFOX_PATH, found on the machine, or installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type BrowserName = 'chromium' | 'firefox';

interface Program {
  variable: string;
  /** Searched for in PATH, in this order. */
  names: string[];
  elsewhere: string[];
  /** Debian's packages, the first that can be installed. */
  packages: string[];
}

const PROGRAMS: Record<BrowserName, Program> = {
  chromium: {
    variable: 'CHROMIUM_PATH',
    names: [
      // It draws without a GPU process: the same tests take a sixth less of CPU.
      'chromium-headless-shell',
      'chromium',
      'chromium-browser',
      'google-chrome-stable',
      'google-chrome',
      'chrome',
    ],
    elsewhere: [
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    packages: ['chromium-headless-shell', 'chromium'],
  },
  firefox: {
    variable: 'FIREFOX_PATH',
    names: ['firefox-esr', 'firefox'],
    elsewhere: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
    packages: ['firefox-esr', 'firefox'],
  },
};

/** The path of a browser; null if there is none and none can be installed. */
export const ensureBrowser = (name: BrowserName): string | null =>
  findBrowser(name) ?? (install(PROGRAMS[name].packages) ? findBrowser(name) : null);

/** Where the runner found it; undefined where there is none. */
export const pathOfBrowser = (name: BrowserName): string | undefined => process.env[PROGRAMS[name].variable];

/** The variables by which the tests find these browsers. */
export const browserVariables = (paths: ReadonlyMap<BrowserName, string>): Record<string, string> =>
  Object.fromEntries([...paths].map(([name, path]) => [PROGRAMS[name].variable, path]));

function findBrowser(name: BrowserName): string | null {
  const { variable, names, elsewhere } = PROGRAMS[name];
  const named = pathOfBrowser(name);
  if (named) {
    if (!existsSync(named)) throw new Error(`${variable} is ${named}, and there is no such file`);
    return named;
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...elsewhere];
  return candidates.find((path) => existsSync(path)) ?? null;
}

/** With the system's package manager, and only where that needs no password. */
function install(packages: readonly string[]): boolean {
  if (process.getuid?.() !== 0) return false;
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const isInstalled = () =>
    packages.some((name) => apt('install', '-y', '-qq', '--no-install-recommends', name));
  return isInstalled() || (apt('update', '-qq') && isInstalled());
}
