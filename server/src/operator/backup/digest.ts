// What proves that two copies of a table have the same rows: how many there are, and a sum of their hashes, which is the same in
// whichever order an engine returns them.
import { createHash } from 'node:crypto';

export interface RowsDigest {
  rows: number;
  /** The sum of the lines' SHA-256, modulo 2^256, in hexadecimal. */
  sha256_sum: string;
}

export class DigestBuilder {
  private rows = 0;
  private sum = 0n;

  add(lines: readonly string[]): void {
    for (const line of lines) {
      this.rows++;
      this.sum += BigInt(`0x${createHash('sha256').update(line).digest('hex')}`);
    }
    this.sum = BigInt.asUintN(256, this.sum);
  }

  get digest(): RowsDigest {
    return { rows: this.rows, sha256_sum: this.sum.toString(16).padStart(64, '0') };
  }
}

export const isSameDigest = (a: RowsDigest, b: RowsDigest | undefined): boolean =>
  b !== undefined && a.rows === b.rows && a.sha256_sum === b.sha256_sum;
