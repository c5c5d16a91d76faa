import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Far more than any wait takes, also on a slow machine beside others. It is there only to notice a hang. Planted mistakes make tests
 * wait in vain, so support/mutants is less patient.
 */
const HANG_MS = Number(process.env.AIRDATE_TEST_HANG_MS ?? 300_000);
/** Asking without a pause takes a core from the process, browser or database that is waited for. */
const PAUSE_MS = 5;

/** Waits until something has happened elsewhere: in another process, in a browser, on the network. `what` says it: "the file is there". */
export async function until(what: string, isSo: () => unknown): Promise<void> {
  const giveUpAt = performance.now() + HANG_MS;
  while (!(await isSo())) {
    assert.ok(performance.now() < giveUpAt, `never came true: ${what}`);
    await delay(PAUSE_MS);
  }
}
