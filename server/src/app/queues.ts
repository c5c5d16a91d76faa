// Every queue in which work of several organizations waits, with its limits and why it has them. Organizations take turns in
// each, and one that is alone never has the whole capacity: most of this work cannot be interrupted, so capacity that is free is
// what lets the next organization begin. Beside these, the webhook worker and the disk store have one each for themselves.

import { createFairQueue, type FairQueue } from '../core/concurrency.js';
import type { Database } from '../db/database.js';

export interface Queues {
  readonly inspectSlide: FairQueue;
  readonly inspectVideo: FairQueue;
  /** Slides into a form that the platform accepts. */
  readonly convertSlide: FairQueue;
  /** Slides to the platform, until their response has ended. */
  readonly sendSlide: FairQueue;
  /** Videos whose metadata is searched before they are sent. */
  readonly searchMetadata: FairQueue;
  readonly joinParts: FairQueue;
  readonly importPosts: FairQueue;
  readonly testWebhook: FairQueue;
  /**
   * Search, lists that have no counters, far pages, the timeline. Such a read must use one connection at a time, and not wait for
   * another in this queue or the next.
   */
  readonly longReads: FairQueue;
  /** Covers are short, and never wait for a long read. */
  readonly covers: FairQueue;
}

/** Two pictures at a time limit the memory, and more would only wait for the same cores. */
const DECODING = { maxConcurrent: 2, perKey: 1 };
const MEDIA_SECONDS = 5;

/** A post has up to 35 slides, which clients send all at the same time. */
const MAX_INSPECTIONS = 100;
const INSPECTING = {
  ...DECODING,
  maxQueuedPerKey: MAX_INSPECTIONS,
  busy: [
    `The file has arrived, but ${MAX_INSPECTIONS} other files of your organization wait to be inspected. Complete this upload later.`,
    MEDIA_SECONDS,
  ],
} as const;

/** The platform may fetch all 35 slides of a post at the same time, and those of several posts. */
const MAX_FETCHES = 200;
/** Slides that the platform fetches wait and are never refused: one that is missing may fail the whole post. */
const FETCHED_BY_PLATFORM = {
  maxQueued: MAX_FETCHES,
  busy: [`${MAX_FETCHES} slides wait to be converted. Fetch this one later.`, MEDIA_SECONDS],
} as const;

const MAX_READS = 32;
const readsOf = (maxConcurrent: number): FairQueue =>
  createFairQueue({
    maxConcurrent,
    perKey: Math.max(1, Math.floor(maxConcurrent / 2)),
    maxQueuedPerKey: MAX_READS,
    busy: [
      `${MAX_READS} searches, lists or timelines of your organization are waiting. Try again in a moment.`,
      1,
    ],
  });

export function createQueues(capacity: Pick<Database['capacity'], 'longReads' | 'covers'>): Queues {
  const longReads = readsOf(capacity.longReads);
  return {
    inspectSlide: createFairQueue(INSPECTING),
    inspectVideo: createFairQueue(INSPECTING),
    convertSlide: createFairQueue({ ...DECODING, ...FETCHED_BY_PLATFORM }),
    // Each slide has up to 5 MB in memory until the platform has taken it.
    sendSlide: createFairQueue({ maxConcurrent: 32, perKey: 8, ...FETCHED_BY_PLATFORM }),
    searchMetadata: createFairQueue(DECODING),
    // On disk a join copies the file, which keeps the disk busy.
    joinParts: createFairQueue({
      maxConcurrent: 2,
      perKey: 1,
      maxQueuedPerKey: 100,
      busy: [
        'Other uploads of your organization are being completed. Try again in a few seconds.',
        MEDIA_SECONDS,
      ],
    }),
    // On SQLite other writes wait while an import is written, and run between two of them. How many may wait is limited before
    // their bodies are read (posts/import/admission.ts).
    importPosts: createFairQueue({ maxConcurrent: 1, perKey: 1 }),
    // Each takes up to 15 seconds.
    testWebhook: createFairQueue({
      maxConcurrent: 32,
      perKey: 2,
      maxQueuedPerKey: 8,
      busy: ['Your organization has too many tests in progress. Try again in a moment.', 15],
    }),
    longReads,
    // A pool of two or three connections has capacity for one kind.
    covers: capacity.covers === 0 ? longReads : readsOf(capacity.covers),
  };
}
