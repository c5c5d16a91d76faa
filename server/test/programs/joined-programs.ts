import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../..', import.meta.url));
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
  joinedOr(`killable/${name}.js`, `test/crash/${name}.js`);

const ROOT = join(DIST, '../..');
const SCRIPT = join(ROOT, 'scripts/bundle.mjs');

/** Joins them again if something was compiled or installed since, so that no test starts an old one. */
export function joinPrograms(): void {
  const compiled = [join(DIST, 'src'), join(DIST, 'test/crash'), join(ROOT, 'sandbox/dist')].map(newestIn);
  const others = [SCRIPT, join(ROOT, 'node_modules/.package-lock.json')].map(changedAt);
  const newest = Math.max(...compiled, ...others);
  const isOld = (file: string) => changedAt(file) < newest;
  if (isOld(join(DIST, 'program/main.js'))) bundle();
  if (KILLABLE.some((name) => isOld(join(DIST, `killable/${name}.js`))))
    bundle('killable', ...KILLABLE.map((name) => `test/crash/${name}.js`));
}

function bundle(...args: string[]): void {
  const { status } = spawnSync(process.execPath, [SCRIPT, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`scripts/bundle.mjs ended with ${status}`);
}

function newestIn(dir: string): number {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  return Math.max(...files.map((name) => changedAt(join(dir, name))));
}

/** 0 if there is no such file. */
const changedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
