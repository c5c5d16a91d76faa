// Makes server/src/core/common-passwords.ts of a list of passwords on stdin, one per line:
//   node scripts/common-passwords.mjs < list.txt
// The file holds the first bytes of each one's hash: it is half the size, and shows none of these words.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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
const target = fileURLToPath(new URL('../server/src/core/common-passwords.ts', import.meta.url));
writeFileSync(
  target,
  `// Made by scripts/common-passwords.mjs: the first ${BYTES} bytes of the SHA-256 of ${words.size.toLocaleString('en')} common passwords.
export const BYTES_EACH = ${BYTES};
export const COMMON_PASSWORDS =
  '${Buffer.concat(hashes).toString('base64')}';
`,
);
