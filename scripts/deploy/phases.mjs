// What is done to the installation under load, and what is promised meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { descendants } from './part.mjs';
import { now } from './tally.mjs';

const never = () => false;
/**
 * While the database is away: a 503 problem with Retry-After. A publish that the platform may have received already goes on without its
 * request, which is told so (504, or 409 for its Idempotency-Key): it must not invite a repetition.
 */
const polite = ({ isPolite, operation, kind }) =>
  isPolite ||
  (operation === 'publish' && ['504 platform_timeout', '409 idempotency_key_in_use'].includes(kind));

/** `world` has the parts, the client, the tally, and the path of the newer version. */
export function phases(world) {
  const { tally, client, fleet, ports, parts, postgres } = world;
  const through = (...names) => {
    client.fronts = names.map((name) => ports[name].tls);
  };
  const phase = async (name, promise, allows, act) => {
    const begun = tally.begin(name, promise, allows);
    await act(begun);
    process.stdout.write(
      `  ${name}: ${begun.ok + begun.failures.length} requests, ${begun.failures.length} failed\n`,
    );
  };

  const roll = (front) =>
    phase(`roll behind ${front}`, 'no request fails', never, async () => {
      through(front);
      await fleet.roll();
      await delay(1_000);
    });

  /** Ends a part by SIGKILL. Only requests that were in flight when it died may fail. */
  const kill = (name, part, ...fronts) => {
    let [killedAt, diedAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const wasInFlight = ({ startedAt, endedAt }) => startedAt <= diedAt && endedAt >= killedAt;
    return phase(`kill -9 ${name}`, 'only requests in flight fail', wasInFlight, async (begun) => {
      through(...fronts);
      await delay(1_500);
      const inFlight = tally.inFlight;
      killedAt = now();
      await part.end('SIGKILL');
      diedAt = now();
      begun.notes.push(`${inFlight} in flight`);
      await delay(1_500);
      await part.start();
      await delay(2_500);
    });
  };

  /** The database is away during `act`; afterwards everything must work again by itself. */
  const away = (name, act) =>
    phase(name, 'only 503 with Retry-After', polite, async (begun) => {
      through('nginx', 'haproxy');
      await delay(1_000);
      await act();
      const backAt = now();
      await delay(8_000);
      const last = Math.max(0, ...begun.failures.map(({ endedAt }) => endedAt - backAt));
      begun.notes.push(`last failure ${(last / 1000).toFixed(1)} s after its return`);
    });

  return {
    warmUp: () =>
      phase('calm', 'no request fails', never, async () => {
        through('nginx');
        await delay(5_000);
      }),

    async rolls() {
      for (const front of Object.keys(ports)) await roll(front);
    },

    upgrade: () =>
      phase('schema upgrade and roll', 'no request fails', never, async () => {
        through('haproxy');
        await delay(1_000);
        await fleet.migrate(world.newer);
        // The old version on the new schema.
        await delay(5_000);
        await fleet.roll(world.newer);
        await delay(1_000);
      }),

    async kills() {
      await kill('an API behind nginx', fleet.apis[0], 'nginx');
      await kill('an API behind haproxy', fleet.apis[1], 'haproxy');
      await phase('kill -9 a worker', 'no request fails', never, async () => {
        through('nginx');
        await delay(1_000);
        await fleet.workers[0].end('SIGKILL');
        await delay(2_000);
        await fleet.workers[0].start();
        await delay(1_000);
      });
      await kill('haproxy', parts.haproxy, 'haproxy', 'nginx');
      const [nginxWorker] = descendants(parts.nginx.pid);
      await kill('a process of nginx', ownedBy(nginxWorker), 'nginx', 'haproxy');
      if (parts.pgbouncer)
        await away('kill -9 pgbouncer', async () => {
          await parts.pgbouncer.end('SIGKILL');
          await delay(1_000);
          await parts.pgbouncer.start();
        });
    },

    async databases() {
      await away('Postgres restarts, 3 s away', () => postgres.restart(3_000));
      await away('Postgres crashes, 3 s away', () => postgres.crash(3_000));
      // Longer than the 20 seconds after which a process gives up a question.
      await away('Postgres hangs for 25 s', async () => {
        postgres.pause();
        await delay(25_000);
        postgres.resume();
      });
    },

    async limiter() {
      await phase('Redis hangs for 8 s', 'no request fails', never, async () => {
        through('nginx', 'haproxy');
        parts.redis.signal('SIGSTOP');
        await delay(8_000);
        parts.redis.signal('SIGCONT');
        await delay(1_000);
      });
      await phase('kill -9 Redis', 'no request fails', never, async () => {
        await parts.redis.end('SIGKILL');
        await delay(2_000);
        await parts.redis.start();
        await delay(1_000);
      });
    },

    calmAgain: () =>
      phase('calm again', 'no request fails', never, async () => {
        through('haproxy', 'nginx');
        await delay(5_000);
      }),
  };
}

/** A process that its own parent replaces. */
const ownedBy = (pid) => ({
  async end(signal) {
    process.kill(pid, signal);
    while (isAlive(pid)) await delay(1);
  },
  async start() {},
});

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
