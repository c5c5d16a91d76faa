// The figures for /metrics are read along indexes: the database explains the statements that a scrape really sends.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { readOperatorMetrics } from '../../src/operator/metrics.js';
import { type Explainer, explainerOf } from '../support/databases/query-plans.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';

/** Tables that grow with the installation. Those of workers and endpoints stay small. */
const LARGE = /\b(posts|dispatches|webhook_deliveries|social_accounts|asset_sources|objects_to_delete)\b/;

onEngines('both', 'A scrape', (engine) => {
  const service = useService(engine, { command: 'api', env: { SOCIAL_API_URL: 'http://127.0.0.1:9' } });
  const sent: Statement[] = [];
  let stop = () => {};
  before(() => {
    stop = statementsOf(engine, sent);
  });
  after(() => stop());

  /** On a connection of its own, closed before the database is dropped. */
  async function explained(work: (explainer: Explainer) => Promise<void>): Promise<void> {
    const explainer = await explainerOf(service.app);
    try {
      // As the reading of the figures does: otherwise small tables are read whole.
      if (engine === 'postgres') await explainer.run('set enable_seqscan = off');
      await work(explainer);
    } finally {
      await explainer.close();
    }
  }

  it('shares its reading with others at the same time', async () => {
    sent.length = 0;
    const scrapes = Array.from({ length: 20 }, () => service.request('GET', '/metrics'));
    for (const { status } of await Promise.all(scrapes)) assert.equal(status, 200);
    const readings = sent.filter(({ text }) => /from workers where/.test(text)).length;
    // One, and another if these take longer than a reading is kept.
    assert.ok(readings >= 1 && readings < 10, `${readings} readings`);
  });

  it('walks only indexes of work to do, and reads no large table', async () => {
    sent.length = 0;
    const figures = await readOperatorMetrics(service.app);
    assert.deepEqual(Object.keys(figures.queues).sort(), [
      ...['deletions', 'imports', 'interrupted', 'polls', 'search', 'tokens', 'uploads'],
    ]);
    const statements = sent.filter(({ text }) => /^select/.test(text) && LARGE.test(text));
    assert.ok(statements.length >= 7, `only ${statements.length} statements were seen`);
    await explained(async (explainer) => {
      for (const statement of statements) {
        assert.match(statement.text, /limit (\d+|\?|\$\d)/, 'it has an end');
        const steps = (await explainer.steps(statement)).map(({ step }) => step);
        const whole = steps.filter((step) => LARGE.test(step) && !/\bINDEX\b|Index|Bitmap/.test(step));
        assert.deepEqual(whole, [], statement.text);
      }
    });
  });
});
