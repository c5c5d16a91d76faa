import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../core/log.js';
import { createProcessMetrics } from '../core/meters.js';
import type { Mode } from '../restore-safety/safety.js';
import { createPool, type Work } from './pool.js';
import { createRunner, type Job } from './runner.js';

/** A runner over a list of ids. What is in it is due until it has begun. */
function runnerOf(due: string[], { run, ...more }: Partial<Job<Work>> = {}, mode: Mode = { kind: 'normal' }) {
  const begun: string[] = [];
  const app = {
    meters: createProcessMetrics(),
    log: createLog({ level: 'silent', human: true }),
    safety: { mode },
  };
  const woken: string[] = [];
  let onSearch = () => {};
  const runner = createRunner<Work>(
    app,
    {
      name: 'test',
      everyMs: 1_000,
      pool: (events) => createPool({ max: 2, perOrganization: 2, perTarget: 2 }, events),
      source: (pool) =>
        async function* () {
          for (const id of [...due])
            if (pool.capacityFor('a') > 0) yield { id: due.shift() ?? id, org_id: 'a', target: null };
        },
      async run(work, stopping) {
        begun.push(work.id);
        await run?.(work, stopping);
      },
      onFailure: 'it failed',
      ...more,
    },
    (name) => {
      woken.push(name);
      onSearch();
    },
  );
  const searched = () =>
    new Promise<void>((resolve) => {
      // The pause before a search keeps no process alive, and nothing else does here.
      const alive = setInterval(() => {}, 1_000);
      onSearch = () => {
        clearInterval(alive);
        resolve();
      };
    });
  const failures = async () =>
    (await app.meters.registry.getSingleMetric('airdate_loop_failures_total')?.get())?.values;
  return { runner, begun, failures, searched, app, woken };
}

/** Ends when it is told to. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('A runner', () => {
  it('begins as much as there is capacity for, and does not wait for it', async () => {
    const { opened, open } = gate();
    const { runner, begun } = runnerOf(['1', '2', '3'], { run: () => opened });
    await runner.startDue();
    assert.deepEqual(begun, ['1', '2']);
    open();
    await runner.idle();
    await runner.startDue();
    await runner.idle();
    assert.deepEqual(begun, ['1', '2', '3']);
  });

  it('searches once for all work that ends in the same tick', async () => {
    const { opened, open } = gate();
    const { runner, searched, woken } = runnerOf(['1', '2'], { run: () => opened });
    await runner.startDue();
    const search = searched();
    open();
    await search;
    await runner.idle();
    assert.deepEqual(woken, ['test']);
  });

  it('wakes its own loop when work has ended, and those that its job names', async () => {
    const { runner, searched, woken } = runnerOf(['1'], { alsoWakes: ['another'] });
    const search = searched();
    await runner.startDue();
    await search;
    assert.deepEqual(woken, ['test', 'another']);
  });

  it('counts failed work, and goes on', async () => {
    const { runner, begun, failures } = runnerOf(['1', '2', '3'], {
      run: ({ id }) => (id === '1' ? Promise.reject(new Error('no luck')) : Promise.resolve()),
    });
    for (let n = 0; n < 2; n++) {
      await runner.startDue();
      await runner.idle();
    }
    assert.deepEqual(begun, ['1', '2', '3']);
    assert.deepEqual(await failures(), [{ value: 1, labels: { loop: 'test' } }]);
  });

  it('begins nothing in safe mode, unless the job is harmless, and nothing at all before the check', async () => {
    const restored: Mode = { kind: 'safe', reason: 'a restore', since: 0 };
    for (const [mode, inSafeMode, expected] of [
      [restored, undefined, []],
      [restored, true, ['1']],
      [{ kind: 'unchecked', reason: 'a start' }, true, []],
    ] as const) {
      const { runner, begun } = runnerOf(['1'], inSafeMode ? { inSafeMode } : {}, mode);
      await runner.startDue();
      await runner.idle();
      assert.deepEqual(begun, expected, `${mode.kind}, ${inSafeMode}`);
    }
  });

  it('tells work that it stops, waits for it, and begins nothing more', async () => {
    const { runner, begun } = runnerOf(['1', '2', '3'], {
      run: (_work, stopping) =>
        new Promise((resolve) => stopping.addEventListener('abort', () => resolve(), { once: true })),
    });
    await runner.startDue();
    await runner.stop();
    await runner.startDue();
    assert.deepEqual(begun, ['1', '2']);
  });
});
