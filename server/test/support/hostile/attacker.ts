// One attack, in a process of its own: prepares it, says so, and goes on until it is ended.
//   node attacker.js '{"attack": …, "url": …, "key": …, "victims": […]}'
import { setTimeout as delay } from 'node:timers/promises';
import { ATTACKS, type Target } from './attacks.js';

const REFUSED_MS = 500;

const target = JSON.parse(process.argv[2] ?? '{}') as Target & { attack: string };
const attack = ATTACKS.find(({ title }) => title === target.attack);
if (!attack) throw new Error(`there is no attack ${target.attack}`);

const step = await attack.prepare(target);
process.send?.('ready');
const counts: Record<string, number> = {};
process.on('message', () => {
  process.send?.(counts);
});
process.on('disconnect', () => process.exit(0));

await Promise.all(
  Array.from({ length: attack.lanes }, async (_, lane) => {
    for (let n = 0; ; n++) {
      counts.begun = (counts.begun ?? 0) + 1;
      const status = await step(lane, n).catch(() => 'broken off');
      counts[status] = (counts[status] ?? 0) + 1;
      // Work is what costs others here, and not a flood of requests: that is for the proxy in front.
      if (typeof status === 'string' || status === 429 || status === 503) await delay(REFUSED_MS);
    }
  }),
);
