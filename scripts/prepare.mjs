// Runs after npm ci: builds the product, unless npm was told to leave out what builds it (npm ci --omit=dev).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

if (existsSync(new URL('../node_modules/typescript', import.meta.url))) {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const built = spawnSync('npm', ['run', 'build'], {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = built.status ?? 1;
} else {
  process.stdout.write(
    'Not built: the packages that build Airdate were left out. An existing build still runs.\n',
  );
}
