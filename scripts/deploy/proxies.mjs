// nginx, haproxy and Caddy with the files of deploy/, in which only names, ports and paths are replaced.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { root } from '../product.mjs';
import { find } from './install.mjs';
import { Part, unusedPort } from './part.mjs';

/** The file with these texts replaced; each of them must be in it. */
export function adapted(file, replacements) {
  let text = readFileSync(join(root, 'deploy', file), 'utf8');
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`deploy/${file} does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

const processes = ([first, second]) => ({
  '127.0.0.1:3000': `127.0.0.1:${first}`,
  '127.0.0.1:3010': `127.0.0.1:${second}`,
});

function nginxFiles(dir, { ports, apis, tls }) {
  const conf = adapted('nginx/airdate.conf', {
    ...processes(apis),
    'listen 80;': `listen 127.0.0.1:${ports.plain};`,
    'listen 443 ssl': `listen 127.0.0.1:${ports.tls} ssl`,
    'publish.example.com': 'localhost',
    '/etc/nginx/airdate.crt': tls.certificate,
    '/etc/nginx/airdate.key': tls.key,
    '/etc/nginx/airdate-locations.conf': join(dir, 'airdate-locations.conf'),
  });
  writeFileSync(join(dir, 'airdate-locations.conf'), adapted('nginx/airdate-locations.conf', {}));
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${join(dir, `${name}-temp`)};`,
  );
  const main = `daemon off;\nworker_processes 2;\npid ${join(dir, 'nginx.pid')};\nerror_log stderr notice;
events { worker_connections 2048; }\nhttp {\n  access_log off;\n${folders.join('\n')}\n${conf}}\n`;
  writeFileSync(join(dir, 'nginx.conf'), main);
  return [find('nginx'), '-p', dir, '-c', join(dir, 'nginx.conf')];
}

function haproxyFiles(dir, { ports, apis, tls }) {
  const conf = adapted('haproxy/haproxy.cfg', {
    ...processes(apis),
    'bind :80': `bind 127.0.0.1:${ports.plain}`,
    'bind :443': `bind 127.0.0.1:${ports.tls}`,
    '/etc/haproxy/airdate.pem': tls.both,
  });
  writeFileSync(join(dir, 'haproxy.cfg'), conf);
  return [find('haproxy'), '-db', '-f', join(dir, 'haproxy.cfg')];
}

function caddyFiles(dir, { ports, apis, tls }) {
  const conf = adapted('caddy/Caddyfile', {
    ...processes(apis),
    'publish.example.com {': `https://localhost:${ports.tls} {\n\ttls ${tls.certificate} ${tls.key}`,
  });
  const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n`;
  writeFileSync(join(dir, 'Caddyfile'), options + conf);
  return [find('caddy'), 'run', '--adapter', 'caddyfile', '--config', join(dir, 'Caddyfile')];
}

const KINDS = { nginx: nginxFiles, haproxy: haproxyFiles, caddy: caddyFiles };

/** Ports are chosen first: PUBLIC_URL is that of the first proxy, and every process needs to know it. */
export async function choosePorts() {
  return { plain: await unusedPort(), tls: await unusedPort() };
}

/** A proxy, not yet started. `apis` are the ports of the processes behind it. */
export function proxy(kind, parent, { ports, apis, tls }) {
  const dir = join(parent, kind);
  mkdirSync(dir);
  chmodSync(dir, 0o755);
  const command = KINDS[kind](dir, { ports, apis, tls });
  const env = { PATH: process.env.PATH, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  return new Part({ name: kind, dir, command, env, isReady: () => answers(ports.tls) });
}
