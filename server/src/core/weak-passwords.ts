// Recognizes passwords that are among the first guesses, without asking another service.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { invalid } from './problems.js';

/** Made by scripts/common-passwords.mjs, and read where it is in the sources: the compiler copies only what it compiles. */
const COMMON_PASSWORDS = new URL('../../../src/core/common-passwords.bin', import.meta.url);
/** The first bytes of the SHA-256 of each. */
const BYTES_EACH = 5;

const MIN_CHARACTERS = 4;
const MIN_DIFFERENT = 5;

/** Read with the first password that a person sets: most processes never need it. */
let known: Set<string> | undefined;

export function assertStrongPassword(password: string, pointer: string): void {
  if (!isWeakPassword(password)) return;
  const message = 'is one of the first that attackers try. Choose another one, such as a short sentence';
  throw invalid([{ pointer, message }]);
}

/** A common password, one with digits or signs around it, one repeated, or a few characters over and over. */
export function isWeakPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  if (new Set(plain).size < MIN_DIFFERENT) return true;
  const core = plain.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return [plain, core, unitOf(plain), unitOf(core)].some(isCommon);
}

function isCommon(text: string): boolean {
  if (text.length < MIN_CHARACTERS) return false;
  known ??= readKnown();
  return known.has(hash('sha256', text, 'buffer').toString('hex', 0, BYTES_EACH));
}

function readKnown(): Set<string> {
  const bytes = readFileSync(COMMON_PASSWORDS);
  const count = bytes.length / BYTES_EACH;
  return new Set(
    Array.from({ length: count }, (_, i) => bytes.toString('hex', i * BYTES_EACH, (i + 1) * BYTES_EACH)),
  );
}

/** The shortest text that, repeated, makes this one: "lemonlemon" is made of "lemon". */
function unitOf(text: string): string {
  const length = (text + text).indexOf(text, 1);
  return text.slice(0, length);
}
