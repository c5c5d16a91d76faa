// What axe finds on a page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Its script; evaluate it in the page first. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const OF_LANDMARKS = ['region', 'landmark-unique'];

/** The part of axe's result that the tests read. */
interface Findings {
  passes: { id: string }[];
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Findings that block a user, or send one who moves by landmarks astray. */
export async function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
  // Describing every element that is fine takes axe longer than finding the others.
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) };
  const { violations, passes } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as Findings;
  assert.ok(
    passes.some(({ id }) => id === 'color-contrast'),
    'axe has checked nothing',
  );
  return violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || OF_LANDMARKS.includes(id))
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`));
}
