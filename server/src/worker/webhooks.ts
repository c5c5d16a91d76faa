// Webhooks in the worker: a loop makes deliveries from events, and a runner sends them. A new event wakes the loop, shortly after
// its commit: a burst of events is then one run and not one for each.

import { fanOut } from '../events/webhooks/fan-out.js';
import { createSender } from '../events/webhooks/sender.js';
import type { App } from '../request/app.js';
import type { Runner } from '../work/runner.js';
import type { LoopPlan } from './loop.js';

const BURST_MS = 100;

/** A run ends after this long, so that the loop's heartbeat stays fresh. */
const RUN_MS = 5_000;

export interface Webhooks {
  plans: LoopPlan[];
  sender: Runner;
  stop(): Promise<void>;
}

/** `wake` wakes the loop of this name. */
export function startWebhooks(app: App, poke: (name: string) => void): Webhooks {
  const sender = createSender(app, () => poke('webhooks'));
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      poke('webhook-fan-out');
    }, BURST_MS);
  };
  const listening = app.db.listen({
    changed: ({ events }) => {
      if (events) soon();
    },
    missed: soon,
  });
  return {
    plans: [
      {
        name: 'webhook-fan-out',
        everyMs: 5_000,
        run: async () => {
          const endAt = performance.now() + RUN_MS;
          while (await fanOut(app)) {
            poke('webhooks');
            if (performance.now() < endAt) continue;
            poke('webhook-fan-out');
            return;
          }
        },
      },
    ],
    sender,
    async stop() {
      clearTimeout(timer);
      (await listening)();
    },
  };
}
