// What looking into a file needs, and what comes of it.

/** A file to look into without holding it whole. */
export interface FileBytes {
  size: number;
  /** From `start` to before `end`; shorter only at the end of the file. */
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

/** Either what was found, or the sentence that says why the file is refused. */
export type Verdict = { ok: true; found: Found; thumbnail: Buffer | null } | { ok: false; reason: string };
