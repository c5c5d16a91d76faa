// Finds secrets in bytes: whole or cut off, as they are, in hexadecimal or in base64.

const PIECE = 16;
const MIN_LENGTH = 12;
const HASH_BITS = 22;

interface Form {
  name: string;
  bytes: Buffer;
}

export class Canaries {
  private readonly known = new Set<string>();
  /** By the first four bytes. */
  private readonly forms = new Map<number, Form[]>();
  /** Which first bytes occur at all: most places of a text are dismissed with one lookup. */
  private readonly begins = new Uint8Array(2 ** HASH_BITS);

  /** How many of each name there are. */
  readonly counts = new Map<string, number>();

  /** Each piece counts, so a secret that was cut off is found too. */
  plant(name: string, secret: string | Buffer): void {
    const bytes = Buffer.from(secret as string);
    if (bytes.length < MIN_LENGTH) throw new Error(`"${name}" is too short to be told from other text`);
    const id = bytes.toString('hex');
    if (this.known.has(id)) return;
    this.known.add(id);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    for (let at = 0; at < bytes.length; at += PIECE) {
      const from = Math.max(0, Math.min(at, bytes.length - PIECE));
      for (const form of formsOf(bytes.subarray(from, from + PIECE))) this.add(name, form);
    }
  }

  /** The names of those in it, each with what surrounds it. */
  findIn(bytes: Buffer): string[] {
    const found = new Map<string, string>();
    let window = 0;
    for (let i = 0; i < bytes.length; i++) {
      window = (window >>> 8) | ((bytes[i] as number) << 24);
      if (i < 3 || this.begins[hashOf(window)] === 0) continue;
      for (const form of this.forms.get(window) ?? []) {
        const start = i - 3;
        if (found.has(form.name) || !isAt(bytes, start, form.bytes)) continue;
        found.set(form.name, bytes.toString('latin1', Math.max(0, start - 80), start + 60));
      }
    }
    return [...found].map(([name, around]) => `${name}: …${around}…`);
  }

  private add(name: string, bytes: Buffer): void {
    const first = bytes.readInt32LE();
    this.begins[hashOf(first)] = 1;
    const beside = this.forms.get(first) ?? [];
    this.forms.set(first, [...beside, { name, bytes }]);
  }
}

const hashOf = (window: number) => Math.imul(window, 0x9e3779b1) >>> (32 - HASH_BITS);

const isAt = (bytes: Buffer, start: number, form: Buffer) =>
  form.equals(bytes.subarray(start, start + form.length));

function formsOf(piece: Buffer): Buffer[] {
  const hex = piece.toString('hex');
  const texts = new Set([hex, hex.toUpperCase()]);
  // Three bytes are four characters, so what comes before decides between three spellings.
  for (const before of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(before), piece]);
    const sure = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)] as const;
    texts.add(whole.toString('base64').slice(...sure));
    texts.add(whole.toString('base64url').slice(...sure));
  }
  return [piece, ...[...texts].map((text) => Buffer.from(text))];
}
