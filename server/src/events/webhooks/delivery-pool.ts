// How many requests to endpoints run at the same time. Endpoints that answer quickly have half of the capacity; those that take
// long, have accepted nothing yet or no longer do share the other half, and never delay the quick ones.
//
// Within a half, organizations share. One that has n requests running gets another only while more than n are free. One alone can
// therefore have half of them, and each that comes later half of what is left, so that some are left for the next. Nothing is kept
// for a particular organization, and nothing is taken back.

import { LRUCache } from 'lru-cache';
import { createPool, type PoolEvents, type Work } from '../../work/pool.js';
import type { Startable } from '../../work/runner.js';

export const REQUESTS_PER_ENDPOINT = 4;
export const REQUESTS_PER_HALF = 256;

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

/** How long endpoints took lately, if their last answer was an acceptance. */
export class EndpointSpeeds {
  private readonly lately = new LRUCache<string, number>({ max: 10_000 });

  /** Undefined of an endpoint that has accepted nothing, or no longer does. */
  of(endpointId: string): number | undefined {
    return this.lately.get(endpointId);
  }

  record(endpointId: string, { isAccepted, ms }: Answered): void {
    if (isAccepted) this.lately.set(endpointId, ((this.of(endpointId) ?? ms) + ms) / 2);
    else this.lately.delete(endpointId);
  }
}

/** The target of a delivery is its endpoint. */
export type Delivery = Work & { target: string };

export interface DeliveryPool extends Startable<Delivery> {
  /** How many more requests to the endpoint may begin. */
  capacityFor(endpoint: Endpoint): number;
  /** Those of organizations with the fewest requests first, and of these the quickest. Others keep their order. */
  inOrder<E extends Endpoint>(endpoints: readonly E[]): E[];
  /** Whether no request to any endpoint may begin. */
  isFull(): boolean;
  /** Whether this delivery is being sent. */
  has(id: string): boolean;
}

export function createDeliveryPool(
  events: PoolEvents,
  speeds: EndpointSpeeds,
  perHalf = REQUESTS_PER_HALF,
): DeliveryPool {
  const limits = { max: perHalf, perTarget: REQUESTS_PER_ENDPOINT };
  const quick = createPool(limits, events);
  const slow = createPool(limits, events);
  const halfOf = (endpointId: string) => ((speeds.of(endpointId) ?? Infinity) <= QUICK_MS ? quick : slow);
  /** How many deliveries of an endpoint, or of an organization, are running. */
  const runningFor = (id: string) => quick.runningFor(id) + slow.runningFor(id);
  const capacityFor = ({ org_id, id }: Endpoint) => {
    const max = speeds.of(id) === undefined ? 1 : REQUESTS_PER_ENDPOINT;
    return Math.min(max - runningFor(id), halfOf(id).capacityFor(org_id));
  };
  const has = (id: string) => quick.has(id) || slow.has(id);
  return {
    capacityFor,
    inOrder(endpoints) {
      const ranked = endpoints.map((endpoint) => ({
        endpoint,
        running: runningFor(endpoint.org_id),
        ms: speeds.of(endpoint.id) ?? Number.MAX_VALUE,
      }));
      return ranked.sort((a, b) => a.running - b.running || a.ms - b.ms).map(({ endpoint }) => endpoint);
    },
    isFull: () => quick.free <= 0 && slow.free <= 0,
    has,
    start(delivery, task) {
      const { id, org_id, target } = delivery;
      if (has(id) || capacityFor({ org_id, id: target }) <= 0) return false;
      return halfOf(target).start(delivery, task);
    },
    async idle() {
      await Promise.all([quick.idle(), slow.idle()]);
    },
  };
}
