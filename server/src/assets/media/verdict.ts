// Input and result of an inspection.

/** A file that is inspected without loading it whole. */
export interface FileBytes {
  size: number;
  /** From `start` up to, not including, `end`; shorter only at the end of the file. */
  read(start: number, end: number): Promise<Buffer>;
}

export interface Found {
  width: number;
  height: number;
  /** Null for pictures. */
  durationMs: number | null;
  /** Null for pictures. */
  codec: string | null;
}

/** Either what was found, or a sentence that says why the file is rejected. */
export type Verdict = { ok: true; found: Found; thumbnail: Buffer | null } | { ok: false; reason: string };
