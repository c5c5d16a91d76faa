// The worker's side of webhooks: finds what is due and sends it. A run begins requests and does not wait for them, so an
// endpoint that hangs delays no other.
import { setMaxListeners } from 'node:events';
import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { shareOf } from '../../db/database.js';
import { hasKeysOf } from '../../db/sealed-table.js';
import { fairly, waitAtMost } from '../../ground/concurrency.js';
import { faultOf, levelOf } from '../../ground/log.js';
import { type Due, deliver, type Limited } from './deliver.js';
import type { EndpointRef } from './line.js';
import { createPlaces, PER_ENDPOINT, PLACES } from './places.js';

export interface Sender {
  /** Begins what is due and has a place. */
  sendDue(): Promise<void>;
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>;
  /** Begins nothing more, lets requests end for a while, and hands over the rest. */
  stop(): Promise<void>;
}

/** `page`: how many endpoints are read at once. */
const SIZES = { page: 1_000, places: PLACES };

/** A run through many endpoints takes a while, and others get work meanwhile. */
const LOOK_AGAIN_MS = 50;

/** An answer that comes by then is recorded; otherwise another worker sends it again. */
const FINISH_MS = 5_000;
const HAND_OVER_MS = 5_000;

/** `onRoom` is called when a request has ended and more may begin. */
export function createSender(app: App, onRoom: () => void = () => {}, sizes = SIZES): Sender {
  const stopping = new AbortController();
  // Each request in progress listens.
  setMaxListeners(0, stopping.signal);
  let isStopping = false;
  const places = createPlaces(
    {
      onRoom,
      onError(err) {
        app.meters.loopFailed('webhooks');
        app.log[levelOf(err)](faultOf(err), 'a webhook was not sent, or not recorded; it is sent again');
      },
    },
    sizes.places,
  );
  // Others need the database meanwhile. Organizations take turns: hundreds of slow requests may end together.
  const most = shareOf(app.db, 1 / 2);
  const line = fairly({ most, perKey: most, waiting: Number.POSITIVE_INFINITY });
  const limitedFor =
    ({ org_id }: WithWork): Limited =>
    (work) =>
      line(org_id, work) as ReturnType<typeof work>;
  /** Returns how many it has begun. */
  async function sendTo(endpoint: WithWork, now: number): Promise<number> {
    const room = places.roomFor(endpoint);
    if (room <= 0) return 0;
    let begun = 0;
    // More than there is room for: those that are being sent may be due again.
    for (const due of await dueOf(app, endpoint, now, room + PER_ENDPOINT))
      if (!places.has(due.id) && !isStopping && places.roomFor(endpoint) > 0) {
        begun++;
        places.start(endpoint, due.id, () => deliver(app, due, limitedFor(endpoint), stopping.signal));
      }
    return begun;
  }
  return {
    async sendDue() {
      let now = app.clock.now();
      let after: WithWork | undefined;
      let lookAgainAt = performance.now() + LOOK_AGAIN_MS;
      let begun = 0;
      // To the last page: the first ones may be full of endpoints that hang, which have no room.
      do {
        if (isStopping || app.safety.mode.kind !== 'normal' || places.areFull()) return;
        const endpoints = await endpointsWithWork(app, now, after, sizes.page);
        after = endpoints.length < sizes.page ? undefined : endpoints.at(-1);
        for (const endpoint of places.inOrder(endpoints)) {
          begun += await sendTo(endpoint, now);
          if (begun === 0 || performance.now() < lookAgainAt) continue;
          // From the beginning: what has become due meanwhile may come first.
          now = app.clock.now();
          after = BEFORE_ALL;
          lookAgainAt = performance.now() + LOOK_AGAIN_MS;
          begun = 0;
          break;
        }
      } while (after);
    },
    idle: () => places.idle(),
    async stop() {
      isStopping = true;
      await waitAtMost(FINISH_MS, places.idle());
      stopping.abort();
      await waitAtMost(HAND_OVER_MS, places.idle());
    },
  };
}

type WithWork = EndpointRef & { due_at: number | null };

const BEFORE_ALL: WithWork = { org_id: '', id: '00000000-0000-0000-0000-000000000000', due_at: 0 };

/** Those that have waited longest first. One step into an index for each endpoint. */
const endpointsWithWork = (
  app: App,
  now: number,
  after: WithWork | undefined,
  limit: number,
): Promise<WithWork[]> =>
  app.db.read
    .selectFrom((eb) =>
      eb
        .selectFrom('webhook_endpoints')
        .select((inner) => [
          'webhook_endpoints.org_id',
          'webhook_endpoints.id',
          inner
            .selectFrom('webhook_deliveries')
            .select((oldest) => oldest.fn.min('next_at').as('due_at'))
            .whereRef('webhook_deliveries.org_id', '=', 'webhook_endpoints.org_id')
            .whereRef('webhook_deliveries.endpoint_id', '=', 'webhook_endpoints.id')
            .where('state', '=', sql.lit('pending'))
            .where('next_at', 'is not', null)
            .as('due_at'),
        ])
        .where('enabled', '=', sql.lit(1))
        // A worker without the key of a secret leaves the endpoint to those that have it.
        .where(hasKeysOf(app.seal, 'secret', 'previous_secret'))
        .as('endpoints'),
    )
    .select(['org_id', 'id', 'due_at'])
    .where('due_at', '<=', now)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(due_at, id) > (${after?.due_at}, ${after?.id})`),
    )
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();

const dueOf = (app: App, { org_id, id }: EndpointRef, now: number, limit: number): Promise<Due[]> =>
  app.db.read
    .selectFrom('webhook_deliveries')
    .select(['org_id', 'id', 'endpoint_id', 'fence'])
    .where('org_id', '=', org_id)
    .where('endpoint_id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .orderBy('event_seq')
    .limit(limit)
    .execute();
