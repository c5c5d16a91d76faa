import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../../..', import.meta.url));
const joinedOr = (joined: string, compiled: string) =>
  join(DIST, existsSync(join(DIST, joined)) ? joined : compiled);

/**
 * The program that tests start as a process: the joined one, as users do. A copy with a planted mistake has only compiled
 * modules. AIRDATE_TEST_MAIN names another one.
 */
export const PROGRAM = process.env.AIRDATE_TEST_MAIN ?? joinedOr('program/main.js', 'src/main.js');

/** Programs of the tests that run parts of the server and kill themselves. Tests start them by the dozen. */
const KILLABLE = ['killable-command', 'service-with-stops', 'webhook-worker'] as const;

export const killableProgram = (name: (typeof KILLABLE)[number]): string =>
  joinedOr(`killable/${name}.js`, `test/crash/programs/${name}.js`);

/** The command line, which tests start about 200 times. As people start it, it loads 50 modules, which takes a quarter longer. */
export const COMMAND_LINE = join(DIST, '../../cli/dist/main.js');
export const JOINED_COMMAND_LINE = join(DIST, 'command-line/main.js');

const SCRIPT = join(DIST, '../../scripts/bundle.mjs');

/** Joins those that are older than what they are made of, so that no test starts an old one. */
export function joinPrograms(): void {
  bundle();
  bundle('command-line', '../../cli/dist/main.js');
  bundle('killable', ...KILLABLE.map((name) => `test/crash/programs/${name}.js`));
}

function bundle(...args: string[]): void {
  const { status } = spawnSync(process.execPath, [SCRIPT, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`scripts/bundle.mjs ended with ${status}`);
}
