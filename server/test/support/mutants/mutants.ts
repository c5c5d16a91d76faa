// Plants one mistake after the other into a copy of the built program, and demands that the sampled sweep fails, or the
// test file that the mistake names:
//   node dist/test/support/mutants/mutants.js [words of the mutants' titles, or of the tests that catch them…]
// The copy lies beside dist, so that it finds the same packages and the same media.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { folderInMemory } from '../runner/memory-folder.js';
import { plant } from './markers.js';
import { MUTANTS, type Mutant } from './mutations.js';

const DIST = fileURLToPath(new URL('../../..', import.meta.url));
const SERVER = fileURLToPath(new URL('../../../..', import.meta.url));
const HANG_MS = 900_000;

interface Run {
  isRed: boolean;
  /** The sweep's findings: published twice, lost, wrongly reported. */
  found: string[];
  output: string;
}

/** The sample on the embedded database: the mistakes are the engine's own, and the same on both. */
async function run(mutant: Mutant | null, file = mutant?.caughtBy): Promise<Run> {
  const dir = mkdtempSync(join(SERVER, '.mutant-'));
  try {
    for (const part of ['src', 'test']) cpSync(join(DIST, part), join(dir, part), { recursive: true });
    for (const [file, code] of plant(mutant?.at ?? {}))
      writeFileSync(join(dir, 'src', file.replace(/ts$/, 'js')), code);
    const child = spawn(process.execPath, [join(dir, `test/${file ?? 'crash/exactly-once'}.test.js`)], {
      env: { ...process.env, TEST_ENGINE: 'sqlite', SWEEP_UNTIL_FOUND: 'on', AIRDATE_TEST_HANG_MS: '60000' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    // With the programs it has started, which would keep its output open.
    const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), HANG_MS);
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    clearTimeout(timer);
    // The findings of a named test are its failed tests.
    if (file) {
      const red = [...output.matchAll(/^ +not ok \d+ - (.*)$/gm)].map(([, title]) => title as string);
      return { isRed: code !== 0, found: red, output };
    }
    const found = [...output.matchAll(/'(sqlite, [^']*: (?:twice|lost|wrong): [^']*)'/g)];
    return { isRed: code !== 0, found: [...new Set(found.map(([, line]) => line as string))], output };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function main(words: string[]): Promise<number> {
  const mutants = MUTANTS.filter(({ title, caughtBy = '' }) =>
    words.every((word) => `${title} ${caughtBy}`.includes(word)),
  );
  // A failure with the mistake proves something only if the test passes without it.
  for (const file of new Set(mutants.map(({ caughtBy }) => caughtBy))) {
    const sound = await run(null, file);
    if (!sound.isRed) continue;
    process.stderr.write(`${sound.output}\n${file ?? 'The sample'} is red without any mistake planted.\n`);
    return 1;
  }
  let survivors = 0;
  for (const mutant of mutants) {
    const { isRed, found, output } = await run(mutant);
    const isCaught = isRed && found.length > 0;
    if (!isCaught) survivors++;
    process.stdout.write(`${isCaught ? 'caught  ' : 'SURVIVED'}  ${mutant.title}\n`);
    if (isCaught) process.stdout.write(`            ${found.length} times, as in: ${found[0]}\n`);
    else if (isRed) process.stdout.write(`${output}\n`);
  }
  process.stdout.write(`${mutants.length - survivors} of ${mutants.length} mutants caught\n`);
  return survivors === 0 && mutants.length > 0 ? 0 : 1;
}

const memory = folderInMemory();
if (memory !== null) process.env.TMPDIR = memory;
try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  if (memory !== null) rmSync(memory, { recursive: true, force: true });
}
