// What is asked of a process that reads files, and what it answers.
import type { Overwrite } from './metadata/overwrite.js';
import type { Verdict } from './verdict.js';

/**
 * `inspect`: what the file is. `fit`: the picture as the platform accepts it. `metadata`: what of a video must not leave with it.
 */
export interface Task<Kind extends keyof Answers = keyof Answers> {
  kind: Kind;
  type: string;
  size: number;
}

/** What a process can read: it has loaded one library. */
export type Medium = 'picture' | 'video';
export const mediumOf = (type: string): Medium => (type.startsWith('video/') ? 'video' : 'picture');

export interface Answers {
  inspect: Verdict;
  fit: { ok: true; picture: Buffer } | { ok: false; reason: string };
  /** In the order of their starts. */
  metadata: { ok: true; overwrites: Overwrite[] } | { ok: false; reason: string };
}
export type TaskResult = Answers[keyof Answers];

/** Beyond these, the process ends itself. */
export interface Bounds {
  /** How much its memory may grow, in bytes. */
  growth: number;
  /** Of CPU time: on a busy machine a file takes longer, through no fault of its own. */
  cpuMs: number;
  /** Of time: for the case that the parent is gone and no event reaches the process. */
  lifeMs: number;
}

export type ToChild =
  | { task: Task; bounds: Bounds; maxReadBytes: number }
  | { read: number; bytes: Uint8Array };

export type FromChild =
  | { is: 'ready' }
  | { is: 'read'; read: number; start: number; end: number }
  /** `isWorn`: it has kept so much memory that the next file should have another process. */
  | { is: 'done'; answer: TaskResult; isWorn: boolean };

export type Read = (start: number, end: number) => Promise<Uint8Array>;

/** How a process ends that has gone beyond its bounds. V8 itself ends one that runs out of heap with SIGABRT. */
export const ENDED_BY = { memory: 'SIGUSR2', time: 'SIGXCPU' } as const;
