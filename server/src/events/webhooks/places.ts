// How many requests to endpoints run at once. One endpoint has at most four places, and one until it has accepted something;
// those that have not, or no longer do, share half of all places. Endpoints that hang therefore fill that half at most, and
// never delay those that answer.

export const PER_ENDPOINT = 4;
/** Of each half. */
export const PLACES = 256;

export interface Places {
  /** How many more requests to the endpoint may begin. */
  roomFor(endpointId: string): number;
  /** Whether no request to any endpoint may begin. */
  areFull(): boolean;
  /** Whether this delivery is being sent. */
  has(id: string): boolean;
  /** The task tells whether the endpoint accepted it; null: not sent. */
  start(endpointId: string, id: string, task: () => Promise<boolean | null>): void;
  /** Resolves when all tasks have ended. */
  idle(): Promise<void>;
}

export interface PlaceEvents {
  onRoom(): void;
  /** The delivery is sent again when its lease ends. */
  onError(error: unknown): void;
}

export function createPlaces({ onRoom, onError }: PlaceEvents, perHalf = PLACES): Places {
  const running = new Map<string, Promise<void>>();
  const byEndpoint = new Map<string, number>();
  /** Endpoints whose last answer was an acceptance. */
  const trusted = new Set<string>();
  const taken = { trusted: 0, doubtful: 0 };
  const halfOf = (endpointId: string) => (trusted.has(endpointId) ? 'trusted' : 'doubtful');
  const count = (endpointId: string, by: number) => {
    const n = (byEndpoint.get(endpointId) ?? 0) + by;
    if (n === 0) byEndpoint.delete(endpointId);
    else byEndpoint.set(endpointId, n);
  };
  return {
    roomFor(endpointId) {
      const half = halfOf(endpointId);
      const most = half === 'trusted' ? PER_ENDPOINT : 1;
      return Math.min(most - (byEndpoint.get(endpointId) ?? 0), perHalf - taken[half]);
    },
    areFull: () => taken.trusted >= perHalf && taken.doubtful >= perHalf,
    has: (id) => running.has(id),
    start(endpointId, id, task) {
      const half = halfOf(endpointId);
      taken[half]++;
      count(endpointId, +1);
      const end = () => {
        running.delete(id);
        taken[half]--;
        count(endpointId, -1);
      };
      running.set(
        id,
        task().then(
          (isAccepted) => {
            end();
            if (isAccepted === true) trusted.add(endpointId);
            if (isAccepted === false) trusted.delete(endpointId);
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
