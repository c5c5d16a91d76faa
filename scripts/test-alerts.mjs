// Tests the alert rules with Prometheus' own tool, if it is there or Debian's package can be fetched: the package is unpacked into
// a temporary folder, so that no service is installed. Without the tool it fails where CI is set, as in a full run (.ci/run) that
// can install packages; elsewhere it only says so.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const monitoring = fileURLToPath(new URL('../deploy/monitoring', import.meta.url));
const runs = (command, args, cwd, stdio = 'ignore') => spawnSync(command, args, { cwd, stdio }).status === 0;

const dir = mkdtempSync(join(tmpdir(), 'airdate-promtool-'));
try {
  const promtool = runs('promtool', ['--version']) ? 'promtool' : fetched();
  if (promtool === null) {
    process.stderr.write('NOT RUN: the alert rules. There is no promtool, and apt-get cannot fetch it.\n');
    process.exitCode = process.env.CI ? 1 : 0;
  } else
    for (const args of [
      ['check', 'rules', 'alerts.yml'],
      ['test', 'rules', 'alerts.test.yml'],
    ])
      if (!runs(promtool, args, monitoring, 'inherit')) process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** The path of the tool in the unpacked package, or null. */
function fetched() {
  const download = () => runs('apt-get', ['-qq', 'download', 'prometheus'], dir);
  if (!download() && !(runs('apt-get', ['-qq', 'update']) && download())) return null;
  const [file] = readdirSync(dir).filter((name) => name.endsWith('.deb'));
  return file && runs('dpkg', ['-x', file, 'package'], dir) ? join(dir, 'package/usr/bin/promtool') : null;
}
