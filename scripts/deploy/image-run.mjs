// Runs the image: read-only root, no privileges, no capabilities; asks it for something, and stops it.
import { setTimeout as delay } from 'node:timers/promises';
import { unusedPort } from './part.mjs';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_S = 20;

export async function runImage(podman, image) {
  const port = await unusedPort();
  const name = `airdate-trial-${port}`;
  // The demo organization and the sandbox: everything that an installation writes, goes to its volume.
  podman([
    ...['run', '--detach', '--name', name, '--network', 'host', '--read-only', '--tmpfs', '/tmp'],
    ...['--volume', `${name}:/data`, '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    // The usual limits are higher than those of some machines that are containers themselves.
    ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
    ...['--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1', image],
  ]);
  try {
    const key = await readyWithKey(podman, name, port);
    await tryProduct(`http://127.0.0.1:${port}`, key);
    const touched = podman([
      'exec',
      name,
      '/bin/sh',
      '-c',
      'id -u; touch /app/x 2>&1 || true; touch /data/x && echo data',
    ]);
    if (!/^10001\n.*Read-only file system\ndata\n$/s.test(touched))
      throw new Error(`it is not as promised: ${touched}`);
    process.stdout.write('It runs as user 10001 with a read-only root; only /data and /tmp are writable.\n');
    const began = Date.now();
    podman(['stop', '--time', String(STOP_WITHIN_S), name]);
    const seconds = (Date.now() - began) / 1000;
    const code = podman(['inspect', '--format', '{{.State.ExitCode}}', name]).trim();
    if (code !== '0' || seconds > STOP_WITHIN_S)
      throw new Error(`it stopped with ${code} after ${seconds} s`);
    process.stdout.write(`On SIGTERM it exited with 0 after ${seconds.toFixed(1)} s.\n`);
  } finally {
    podman(['rm', '--force', '--volumes', name]);
  }
}

async function readyWithKey(podman, name, port) {
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await delay(250)) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false);
    const key = isReady ? /\bad_[\w-]+/.exec(podman(['logs', name]))?.[0] : null;
    if (key) return key;
  }
  throw new Error(`it is not ready:\n${podman(['logs', name])}`);
}

/** Writes a post, reads it, and shows the dashboard and the documentation. */
async function tryProduct(url, key) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'Written in a container' });
  const statuses = [
    (await fetch(`${url}/api/v1/posts`, { method: 'POST', headers, body })).status,
    (await fetch(`${url}/api/v1/posts`, { headers })).status,
    (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).status,
    (await fetch(`${url}/docs`, { headers: { accept: 'text/html' } })).status,
    (await fetch(`${url}/sandbox/`)).status,
  ];
  if (statuses.join() !== '201,200,200,200,200') throw new Error(`it answers ${statuses.join()}`);
}
