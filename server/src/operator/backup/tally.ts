// How many lines there are, and a sum of their hashes: it is the same in whichever order an engine returns its rows.
import { createHash } from 'node:crypto';

export interface Tally {
  rows: number;
  /** The sum of the lines' SHA-256, modulo 2^256, in hexadecimal. */
  sha256_sum: string;
}

export class TallyBuilder {
  private rows = 0;
  private sum = 0n;

  add(lines: readonly string[]): void {
    for (const line of lines) {
      this.rows++;
      this.sum += BigInt(`0x${createHash('sha256').update(line).digest('hex')}`);
    }
    this.sum = BigInt.asUintN(256, this.sum);
  }

  get tally(): Tally {
    return { rows: this.rows, sha256_sum: this.sum.toString(16).padStart(64, '0') };
  }
}

export const isSame = (a: Tally, b: Tally | undefined): boolean =>
  b !== undefined && a.rows === b.rows && a.sha256_sum === b.sha256_sum;
