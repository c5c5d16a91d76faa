// The worker's side of webhooks: finds what is due and sends it.

import { setMaxListeners } from 'node:events';
import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { createFairQueue } from '../../core/concurrency.js';
import { NIL_UUID } from '../../core/ids.js';
import { transactionBudget } from '../../db/database.js';
import { hasKeysOf } from '../../db/sealed-table.js';
import { createRunner, type Runner, type WakeLoop } from '../../work/runner.js';
import { type DueDelivery, deliver, type Limited } from './deliver.js';
import type { EndpointRef } from './delivery-order.js';
import {
  createDeliveryPool,
  type DeliveryPool,
  EndpointSpeeds,
  REQUESTS_PER_ENDPOINT,
  REQUESTS_PER_HALF,
} from './delivery-pool.js';

/** `page`: how many endpoints one statement reads. */
const SIZES = { page: 1_000, perHalf: REQUESTS_PER_HALF };

/** A search through many endpoints takes a while, and others get work meanwhile. */
const SEARCH_AGAIN_MS = 50;

/** A response that comes by then is recorded when the worker stops; otherwise another worker sends the message again. */
const FINISH_MS = 5_000;

export function createSender(app: App, wakeLoop?: WakeLoop, sizes = SIZES): Runner {
  const speeds = new EndpointSpeeds();
  const giveUp = new AbortController();
  // Each request in progress listens.
  setMaxListeners(0, giveUp.signal);
  // Others need the database meanwhile. Organizations take turns: hundreds of slow requests may end together.
  const maxConcurrent = transactionBudget(app.db, 1 / 2);
  const enqueue = createFairQueue({ maxConcurrent, perKey: maxConcurrent });
  const runner = createRunner<DueDelivery, DeliveryPool>(
    app,
    {
      name: 'webhooks',
      everyMs: 1_000,
      pool: (events) => createDeliveryPool(events, speeds, sizes.perHalf),
      source: (pool) => () => findDue(app, pool, sizes.page),
      async run(due) {
        const limited: Limited = (work) => enqueue(due.org_id, work);
        const answered = await deliver(app, due, limited, giveUp.signal);
        if (answered) speeds.record(due.target, answered);
      },
      onFailure: 'a webhook was not sent, or not recorded; it is sent again',
    },
    wakeLoop,
  );
  return {
    ...runner,
    async stop() {
      const timer = setTimeout(() => giveUp.abort(), FINISH_MS);
      await runner.stop();
      clearTimeout(timer);
    },
  };
}

/** Deliveries that may begin. Endpoints of organizations with few requests come first, and there the quick ones. */
async function* findDue(app: App, pool: DeliveryPool, page: number): AsyncGenerator<DueDelivery> {
  let now = app.clock.now();
  let after: DueEndpoint | undefined;
  let searchAgainAt = performance.now() + SEARCH_AGAIN_MS;
  let found = 0;
  // To the last page: the first ones may be full of endpoints that hang, which have no capacity.
  do {
    if (pool.isFull()) return;
    const endpoints = await endpointsWithWork(app, now, after, page);
    after = endpoints.length < page ? undefined : endpoints.at(-1);
    for (const endpoint of pool.inOrder(endpoints)) {
      const capacity = pool.capacityFor(endpoint);
      if (capacity <= 0) continue;
      // More than there is capacity for: those that are being sent may be due again.
      for (const due of await findDueDeliveries(app, endpoint, now, capacity + REQUESTS_PER_ENDPOINT))
        if (!pool.has(due.id) && pool.capacityFor(endpoint) > 0) {
          found++;
          yield due;
        }
      if (found === 0 || performance.now() < searchAgainAt) continue;
      // From the beginning: what has become due meanwhile may come first.
      now = app.clock.now();
      after = BEFORE_ALL;
      searchAgainAt = performance.now() + SEARCH_AGAIN_MS;
      found = 0;
      break;
    }
  } while (after);
}

type DueEndpoint = EndpointRef & { due_at: number | null };

const BEFORE_ALL: DueEndpoint = { org_id: '', id: NIL_UUID, due_at: 0 };

/** The endpoint that has waited longest comes first. One step into an index for each endpoint. */
const endpointsWithWork = (
  app: App,
  now: number,
  after: DueEndpoint | undefined,
  limit: number,
): Promise<DueEndpoint[]> =>
  app.db.read
    .selectFrom((eb) =>
      eb
        .selectFrom('webhook_endpoints')
        .select((inner) => [
          'webhook_endpoints.org_id',
          'webhook_endpoints.id',
          inner
            .selectFrom('webhook_deliveries')
            .select('next_at')
            .whereRef('webhook_deliveries.org_id', '=', 'webhook_endpoints.org_id')
            .whereRef('webhook_deliveries.endpoint_id', '=', 'webhook_endpoints.id')
            .where('state', '=', sql.lit('pending'))
            .where('next_at', 'is not', null)
            // Not `min`, for which Postgres may read all of them.
            .orderBy('next_at')
            .limit(1)
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

async function findDueDeliveries(
  app: App,
  { org_id, id }: EndpointRef,
  now: number,
  limit: number,
): Promise<DueDelivery[]> {
  const rows = await app.db.read
    .selectFrom('webhook_deliveries')
    .select(['org_id', 'id', 'fence'])
    .where('org_id', '=', org_id)
    .where('endpoint_id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .where('next_at', '<=', now)
    // The order of the index, and no further: Postgres would sort all that is due.
    .orderBy('next_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, target: id }));
}
