// How many requests to endpoints run at the same time. Endpoints that answer quickly have half of all places; those that take
// long, have accepted nothing yet or no longer do share the other half, and never delay the quick ones.
//
// Within a half, organizations share. One that holds n places gets another only while more than n are free. One alone can
// therefore have half of them, and each that comes later half of what is left, so that some are left for the next. No place is kept
// for a particular organization, and none is taken back.

import { LRUCache } from 'lru-cache';

export const PER_ENDPOINT = 4;
/** Of each half. */
export const PLACES = 256;

/** An endpoint that took longer lately is slow. */
export const QUICK_MS = 1_000;

export interface Endpoint {
  org_id: string;
  id: string;
}

export interface Answered {
  isAccepted: boolean;
  /** How long the endpoint took. */
  ms: number;
}

export interface Places {
  /** How many more requests to the endpoint may begin. */
  roomFor(endpoint: Endpoint): number;
  /** Those of organizations with the fewest places first, and of these the quickest. Others keep their order. */
  inOrder<E extends Endpoint>(endpoints: readonly E[]): E[];
  /** Whether no request to any endpoint may begin. */
  areFull(): boolean;
  /** Whether this delivery is being sent. */
  has(id: string): boolean;
  /** The task returns null if it sent nothing. */
  start(endpoint: Endpoint, id: string, task: () => Promise<Answered | null>): void;
  /** Resolves when all tasks have ended. */
  idle(): Promise<void>;
}

export interface PlaceEvents {
  onRoom(): void;
  /** The delivery is sent again when its lease ends. */
  onError(error: unknown): void;
}

type Half = 'quick' | 'slow';

export function createPlaces({ onRoom, onError }: PlaceEvents, perHalf = PLACES): Places {
  const running = new Map<string, Promise<void>>();
  /** By endpoint, and by half and organization. */
  const held = new Map<string, number>();
  const taken = { quick: 0, slow: 0 };
  /** How long endpoints took lately, if their last answer was an acceptance. */
  const lately = new LRUCache<string, number>({ max: 10_000 });
  const halfOf = (endpointId: string): Half =>
    (lately.get(endpointId) ?? Number.POSITIVE_INFINITY) <= QUICK_MS ? 'quick' : 'slow';
  const heldBy = (key: string) => held.get(key) ?? 0;
  const count = (key: string, by: number) => {
    const n = heldBy(key) + by;
    if (n === 0) held.delete(key);
    else held.set(key, n);
  };
  const heldIn = (half: Half, { org_id }: Endpoint) => heldBy(`${half} ${org_id}`);
  const remember = (endpointId: string, { isAccepted, ms }: Answered) => {
    if (isAccepted) lately.set(endpointId, ((lately.get(endpointId) ?? ms) + ms) / 2);
    else lately.delete(endpointId);
  };
  return {
    roomFor(endpoint) {
      const half = halfOf(endpoint.id);
      const most = lately.has(endpoint.id) ? PER_ENDPOINT : 1;
      return Math.min(most - heldBy(endpoint.id), perHalf - taken[half] - heldIn(half, endpoint));
    },
    inOrder(endpoints) {
      const ranked = endpoints.map((endpoint) => ({
        endpoint,
        held: heldIn('quick', endpoint) + heldIn('slow', endpoint),
        ms: lately.get(endpoint.id) ?? Number.MAX_VALUE,
      }));
      return ranked.sort((a, b) => a.held - b.held || a.ms - b.ms).map(({ endpoint }) => endpoint);
    },
    areFull: () => taken.quick >= perHalf && taken.slow >= perHalf,
    has: (id) => running.has(id),
    start(endpoint, id, task) {
      const half = halfOf(endpoint.id);
      const take = (by: number) => {
        taken[half] += by;
        count(endpoint.id, by);
        count(`${half} ${endpoint.org_id}`, by);
      };
      const end = () => {
        running.delete(id);
        take(-1);
      };
      take(+1);
      running.set(
        id,
        task().then(
          (answered) => {
            end();
            if (answered) remember(endpoint.id, answered);
            onRoom();
          },
          (error) => {
            end();
            onError(error);
          },
        ),
      );
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
