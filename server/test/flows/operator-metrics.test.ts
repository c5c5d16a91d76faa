// What an operator sees while posts are late, while outcomes are unknown, and while the database is away.
import assert from 'node:assert/strict';
import { after, before, it, mock } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { createEngine } from '../../src/publishing/schedule/engine.js';
import { startService } from '../../src/service.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { outageFor } from '../support/databases/outage.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { scrape } from '../support/service/metrics.js';
import { HOUR_MS, STEP_MS, useWorld } from '../support/world/world.js';

const ACCOUNTS = 3;
/** As many as one account may have at the same time. */
const POSTS_EACH = 4;

onEngines('postgres', 'The operator sees', (engine) => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const world = useWorld(engine, { log });
  const ended = (id: string) =>
    lines.filter(({ msg, post_id }) => msg === 'an attempt ended' && post_id === id);

  // Figures of the database are kept for some seconds, which pass between two scrapes here.
  let passed = 0;
  before(() => {
    const real = performance.now.bind(performance);
    mock.method(performance, 'now', () => real() + passed);
  });
  after(() => mock.restoreAll());
  const now = (url = world.service.url) => {
    passed += 5_000;
    return scrape(url);
  };

  it('how late posts are when no worker has run for 60 s, and that the work is done when one is back', async () => {
    const creator = await world.creator();
    const ids = [await world.post(creator), await world.post(creator)];
    for (const id of ids) await world.schedule(creator, id, 2_000);
    const before = await now();
    assert.equal(before.value('airdate_oldest_due_seconds'), 0);
    assert.equal(before.value('airdate_publish_lateness_seconds_count'), 0);
    world.advance(2_000 + 60_000);
    const late = await now();
    assert.ok((late.value('airdate_oldest_due_seconds') ?? 0) >= 60);
    assert.equal(late.value('airdate_due_posts'), 2);
    assert.equal(late.value('airdate_workers'), 0);
    assert.equal(late.value('airdate_database_up'), 1);

    await world.runOnce();
    const accepted = await now();
    assert.equal(accepted.value('airdate_due_posts'), 0);
    assert.equal(accepted.value('airdate_oldest_due_seconds'), 0);
    assert.equal(accepted.value('airdate_publish_lateness_seconds_count'), 2);
    assert.equal(accepted.value('airdate_publish_lateness_seconds_bucket{le="60"}'), 0);
    assert.equal(accepted.value('airdate_publish_lateness_seconds_bucket{le="300"}'), 2);
    assert.equal(accepted.value('airdate_platform_seconds_count{call="submit",result="accepted"}'), 2);
    assert.deepEqual(ended(ids[0] as string), [], 'an accepted attempt has not ended');

    await world.finish(creator);
    assert.equal((await now()).value('airdate_attempts_total{outcome="published",code=""}'), 2);
    for (const id of ids) {
      const [line, ...more] = ended(id);
      assert.equal(more.length, 0);
      const { org_id, dispatch_id, outcome, code, lateness_ms } = line as Record<string, unknown>;
      const dispatch = await world.dispatchRow(id);
      assert.deepEqual(
        [org_id, dispatch_id, outcome, code],
        [creator.org.id, dispatch.id, 'published', null],
      );
      assert.ok(Number(lateness_ms) >= 60_000 && Number(lateness_ms) < HOUR_MS, String(lateness_ms));
    }
  });

  it('a slot that passed without an attempt', async () => {
    const creator = await world.creator();
    const id = await world.post(creator);
    await world.schedule(creator, id, 2_000);
    world.advance(7 * HOUR_MS);
    await world.runOnce();
    assert.equal((await now()).value('airdate_attempts_total{outcome="missed",code="slot_missed"}'), 1);
    const [line] = lines.filter(({ outcome, post_id }) => outcome === 'missed' && post_id === id);
    assert.equal(line?.org_id, creator.org.id);
  });

  it('how many outcomes are unknown: 12 after a worker was killed in 12 inits whose slides were fetched', async () => {
    const creators = [];
    for (let n = 0; n < ACCOUNTS; n++) creators.push(await world.creator());
    for (const creator of creators)
      for (let n = 0; n < POSTS_EACH; n++) await world.schedule(creator, await world.post(creator), 2_000);
    world.advance(3_000);
    // The platform takes each init, and no answer is ever saved.
    let sent = 0;
    const killed = await world.otherApp({
      connector: (real) => ({
        ...real,
        submit: async (...given) => {
          await real.submit(...given);
          sent++;
          return new Promise(() => {});
        },
      }),
    });
    await createEngine(killed).publish();
    await until('all inits have left', async () => sent === ACCOUNTS * POSTS_EACH);
    for (const { username } of creators) await world.waitForPlatform(username);
    await killed.close();

    const before = lines.length;
    world.advance(STEP_MS);
    assert.equal((await now()).value('airdate_queue_depth{queue="interrupted"}'), 12);
    await world.runOnce();
    const metrics = await now();
    assert.equal(metrics.value('airdate_unknown_open'), 12);
    assert.equal(metrics.value('airdate_attempts_total{outcome="unknown",code="interrupted"}'), 12);
    const logged = lines
      .slice(before)
      .filter(({ msg, outcome }) => msg === 'an attempt ended' && outcome === 'unknown');
    assert.equal(logged.length, 12);
    assert.equal(new Set(logged.map(({ dispatch_id }) => dispatch_id)).size, 12);
  });

  it('codes that only the platform knows as one', async () => {
    const id = await world.scheduled(await world.creator());
    world.watched.instead.creator = async () => ({
      kind: 'refused',
      code: 'a_code_of_tomorrow',
      reason: 'Something new (a_code_of_tomorrow)',
      isRepeatable: false,
    });
    await world.runOnce();
    world.watched.reset();
    assert.equal(ended(id)[0]?.code, 'a_code_of_tomorrow', 'the log has it');
    const metrics = await now();
    assert.equal(metrics.value('airdate_attempts_total{outcome="failed",code="other"}'), 1);
    assert.ok(!metrics.text.includes('a_code_of_tomorrow'));
  });

  if (engine === 'postgres')
    it('what is urgent and every other count while some take too long', async () => {
      const client = new pg.Client({ connectionString: world.app.config.databaseUrl as string });
      await client.connect();
      try {
        // Three that wait until Postgres ends them: together longer than a scrape waits.
        await client.query('begin');
        await client.query('lock table asset_sources, objects_to_delete, webhook_deliveries');
        await until('the rest is shown', async () => {
          const metrics = await now();
          assert.equal(metrics.value('airdate_webhook_backlog'), undefined);
          assert.equal(metrics.value('airdate_queue_depth{queue="imports"}'), undefined);
          return [
            'airdate_due_posts',
            'airdate_oldest_due_seconds',
            'airdate_workers',
            'airdate_unknown_open',
            'airdate_queue_depth{queue="polls"}',
          ].every((name) => metrics.value(name) !== undefined && metrics.value('airdate_database_up') === 1);
        });
      } finally {
        await client.end();
      }
      await until(
        'all are back',
        async () => (await now()).value('airdate_queue_depth{queue="imports"}') !== undefined,
      );
      assert.ok(lines.some(({ count }) => count === 'imports'));
    });

  if (engine === 'postgres')
    it('everything else while the database is away, and that it is', async () => {
      const outage = await outageFor(world.app.config);
      const second = await startService(outage.config, { clock: world.service.clock, log: silentLog });
      try {
        assert.equal((await now(second.url)).value('airdate_database_up'), 1);
        await outage.begin();
        let without = await now(second.url);
        await until('the figures are gone', async () => {
          without = await now(second.url);
          return without.value('airdate_database_up') === 0;
        });
        for (const name of ['airdate_due_posts', 'airdate_oldest_due_seconds', 'airdate_unknown_open'])
          assert.equal(without.value(name), undefined, name);
        assert.equal(without.value('airdate_safe_mode'), 0);
        await outage.end();
        await until(
          'they are back',
          async () => (await now(second.url)).value('airdate_due_posts') !== undefined,
        );
      } finally {
        await second.stop();
        await outage.close();
      }
    });
});
