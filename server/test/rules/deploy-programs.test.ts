// The programs that read the files of deploy/ accept them. Each is tried where it is installed; .ci/run installs nginx and haproxy.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT, textOf } from '../support/sources/deploy-files.js';

const PATH = `${process.env.PATH}:/usr/sbin`;
const MAX_EXPOSURE = 2;

let dir: string;
const file = (name: string) => join(dir, name);

function runs(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, PATH, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir },
  });
  assert.equal(status, 0, `${program} says:\n${stdout}${stderr}`);
  return stdout + stderr;
}

/** In a full run these must be there. */
const REQUIRED = process.env.CI ? ['nginx', 'haproxy'] : [];

/** Why a program is not tried, or false if it is. */
const missing = (program: string, ...args: string[]) =>
  !REQUIRED.includes(program) &&
  spawnSync(program, args, { env: { ...process.env, PATH } }).error !== undefined &&
  `${program} is not installed, so its files were not tried`;

function withTexts(path: string, texts: Record<string, string>): string {
  return Object.entries(texts).reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `${path} does not contain ${from}`);
    return text.replaceAll(from, to);
  }, textOf(path));
}

describe('the programs that read deploy/', () => {
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-deploy-'));
    const to = ['-keyout', file('key'), '-out', file('crt')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...to], { stdio: 'ignore' });
    writeFileSync(file('pem'), readFileSync(file('crt'), 'utf8') + readFileSync(file('key'), 'utf8'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  function testNginx(conf: string): void {
    writeFileSync(file('locations.conf'), textOf('deploy/nginx/airdate-locations.conf'));
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${file(`${name}-temp`)};`,
    );
    writeFileSync(
      file('nginx.conf'),
      `pid ${file('nginx.pid')};\nevents {}\nhttp {\naccess_log off;\n${folders.join('\n')}\n${conf}}\n`,
    );
    runs('nginx', '-t', '-q', '-p', dir, '-c', file('nginx.conf'), '-g', 'error_log stderr;');
  }

  it('nginx', { skip: missing('nginx', '-v') }, () => {
    const locations = { '/etc/nginx/airdate-locations.conf': file('locations.conf') };
    testNginx(
      withTexts('deploy/nginx/airdate.conf', {
        '/etc/nginx/airdate.crt': file('crt'),
        '/etc/nginx/airdate.key': file('key'),
        ...locations,
      }),
    );
    testNginx(
      withTexts('deploy/compose/nginx.conf.template', {
        '/etc/nginx/tls/airdate.crt': file('crt'),
        '/etc/nginx/tls/airdate.key': file('key'),
        '${PUBLIC_HOST}': 'publish.example.com',
        '${FILES_HOST}': 'files.example.com',
        ...locations,
      }),
    );
  });

  it('haproxy', { skip: missing('haproxy', '-v') }, () => {
    const conf = withTexts('deploy/haproxy/haproxy.cfg', { '/etc/haproxy/airdate.pem': file('pem') });
    writeFileSync(file('haproxy.cfg'), conf);
    const output = runs('haproxy', '-c', '-f', file('haproxy.cfg'));
    assert.doesNotMatch(output, /WARNING/);
  });

  it('Caddy', { skip: missing('caddy', 'version') }, () => {
    cpSync(join(ROOT, 'deploy/caddy/Caddyfile'), file('Caddyfile'));
    runs('caddy', 'validate', '--adapter', 'caddyfile', '--config', file('Caddyfile'));
  });

  it('systemd', { skip: missing('systemd-analyze', '--version') }, () => {
    const units = join(ROOT, 'deploy/systemd');
    cpSync(units, file('units'), { recursive: true });
    for (const name of readdirSync(units).filter((one) => one.endsWith('.service'))) {
      // The programs are not where an operator has them.
      const unit = textOf(`deploy/systemd/${name}`).replace('/usr/bin/node', process.execPath);
      const instance = join(file('units'), name.replace('@.', '@3000.'));
      rmSync(join(file('units'), name));
      writeFileSync(instance, unit);
      assert.equal(runs('systemd-analyze', 'verify', '--man=no', '--recursive-errors=no', instance), '');
      const [, exposure] =
        /exposure level for \S+: ([\d.]+)/.exec(
          runs('systemd-analyze', 'security', '--offline=true', '--no-pager', instance),
        ) ?? [];
      assert.ok(Number(exposure) <= MAX_EXPOSURE, `${name}: exposure ${exposure}`);
    }
  });
});
