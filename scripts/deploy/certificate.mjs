// A certificate for localhost, from an authority that exists for this trial only.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function makeCertificate(dir) {
  const file = (name) => join(dir, name);
  const openssl = (...args) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    ...['req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=Airdate deployment trial'],
    ...['-keyout', file('ca.key'), '-out', file('ca.crt')],
  );
  openssl(
    ...[
      'req',
      ...newKey,
      '-subj',
      '/CN=localhost',
      '-keyout',
      file('airdate.key'),
      '-out',
      file('airdate.csr'),
    ],
  );
  writeFileSync(file('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  openssl(
    ...['x509', '-req', '-in', file('airdate.csr'), '-days', '2', '-extfile', file('names')],
    ...['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-out', file('airdate.crt')],
  );
  writeFileSync(
    file('airdate.pem'),
    readFileSync(file('airdate.crt'), 'utf8') + readFileSync(file('airdate.key'), 'utf8'),
    { mode: 0o600 },
  );
  return {
    ca: file('ca.crt'),
    certificate: file('airdate.crt'),
    key: file('airdate.key'),
    both: file('airdate.pem'),
  };
}
