// Makes server/src/core/common-passwords.bin of a list of passwords on stdin, one per line:
//   node scripts/common-passwords.mjs < list.txt
// The file holds the first bytes of each one's hash: it is half the size, and shows none of these words.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/** As many as server/src/core/weak-passwords.ts reads. */
const BYTES = 5;
const words = new Set(
  readFileSync(0, 'utf8')
    .split(/\r?\n/)
    .filter((word) => word.length >= 4)
    .map((word) => word.toLowerCase()),
);
const hashes = [...words]
  .map((word) => hash('sha256', word, 'buffer').subarray(0, BYTES))
  .sort(Buffer.compare);
writeFileSync(new URL('../server/src/core/common-passwords.bin', import.meta.url), Buffer.concat(hashes));
