// What is asked of a process that reads files, and what it answers.
import type { Overwrite } from './metadata/overwrite.js';

/** A file that is read without loading it whole. */
export interface FileBytes {
  size: number;
  /** From `start` up to, not including, `end`; shorter only at the end of the file. */
  read(start: number, end: number): Promise<Buffer>;
}

export interface MediaFacts {
  width: number;
  height: number;
  /** Null for pictures. */
  durationMs: number | null;
  /** Null for pictures. */
  codec: string | null;
}

interface Refused {
  ok: false;
  /** A sentence that says why. */
  reason: string;
}

export type Verdict = { ok: true; found: MediaFacts; thumbnail: Buffer | null } | Refused;

export const refused = (reason: string): Refused => ({ ok: false, reason });

/** What a process can read: it has loaded one library. */
export type Medium = 'picture' | 'video';

export interface Answers {
  /** What the file is. */
  inspect: Verdict;
  /** The picture as the platform accepts it. */
  fit: { ok: true; picture: Buffer } | Refused;
  /** What of a video must not leave with it, in the order of the starts. */
  metadata: { ok: true; overwrites: Overwrite[] } | Refused;
}
export type TaskResult = Answers[keyof Answers];

export interface Task {
  kind: keyof Answers;
  type: string;
  size: number;
}

/** Slides as the platform accepts them. It documents no limit for the longer side; this is what phones show. */
export const SLIDE = { shorterSide: 1080, longerSide: 1920 };

/** The limits beyond which the process ends itself. */
export interface Bounds {
  /** How much its memory may grow, in bytes. */
  growth: number;
  /** CPU time and not wall time: on a busy machine a file takes longer, through no fault of its own. */
  cpuMs: number;
  /** Wall time: for the case that the parent is gone and no event reaches the process. */
  lifeMs: number;
}

export type ToChild =
  | { task: Task; bounds: Bounds; maxReadBytes: number }
  | { read: number; bytes: Uint8Array };

export type FromChild =
  | { is: 'ready' }
  | { is: 'read'; read: number; start: number; end: number }
  /** `isWorn`: the next file should have another process, because this one has kept too much memory, or still waits for bytes. */
  | { is: 'done'; answer: TaskResult; isWorn: boolean };

export type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

/** How a process ends that has gone beyond its bounds. V8 itself ends one that runs out of heap with SIGABRT. */
export const ENDED_BY = { memory: 'SIGUSR2', time: 'SIGXCPU' } as const;
