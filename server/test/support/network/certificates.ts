// Certificates for tests, made by openssl: a root of their own, and a server's that it has signed.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

const openssl = (dir: string, ...args: string[]) =>
  execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });

/** The path of a new root's certificate. */
export function makeRoot(dir: string, name: string): string {
  const out = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
  openssl(dir, 'req', '-x509', ...KEY, ...out, '-subj', `/CN=${name}`, '-days', '2');
  return join(dir, `${name}.crt`);
}

/** A certificate for this host, signed by a root that was made before; both as text. */
export function makeCertificate(dir: string, root: string, host: string): { crt: string; key: string } {
  writeFileSync(join(dir, 'host.ext'), `subjectAltName = DNS:${host}\n`);
  openssl(dir, 'req', ...KEY, '-keyout', 'host.key', '-out', 'host.csr', '-subj', `/CN=${host}`);
  const signer = ['-CA', `${root}.crt`, '-CAkey', `${root}.key`, '-CAcreateserial'];
  const out = ['-extfile', 'host.ext', '-out', 'host.crt', '-days', '2'];
  openssl(dir, 'x509', '-req', '-in', 'host.csr', ...signer, ...out);
  const read = (name: string) => readFileSync(join(dir, name), 'utf8');
  return { crt: read('host.crt'), key: read('host.key') };
}
