// An operation tells every code that it can be refused with: those its own code makes, found in the sources, and those of the
// server before it. On ordinary days the refusals that happen are held against the document: support/service/told-codes.ts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROBLEMS } from '../../src/core/problems.js';
import { itInProofs } from '../support/runner/test-tiers.js';
import { type Document, operationsOf } from '../support/service/routes.js';
import { toldCodes } from '../support/service/told-codes.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const document = JSON.parse(readFileSync(join(ROOT, 'sdk/openapi.json'), 'utf8')) as Document;
const operations = operationsOf(document);

/** In a process of its own, which can give the compiler's memory back. */
function madeBy(names: string[]): Record<string, string[]> {
  const code = `import { refusalsOf } from ${JSON.stringify(join(ROOT, 'scripts/figures/refusals.mjs'))};
process.stdout.write(JSON.stringify(refusalsOf(${JSON.stringify(join(ROOT, 'server'))}, ${JSON.stringify(names)})));`;
  const args = ['--input-type=module', '--eval', code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 }));
}

describe('the codes of refusals', () => {
  itInProofs('of each operation are told in the document', async () => {
    const made = madeBy(operations.map(({ operationId = '' }) => operationId));
    const missing = operations.flatMap((operation) => {
      const { operationId = '', route } = operation;
      const told = toldCodes(operation);
      return (made[operationId] ?? [])
        .filter((code) => !told.includes(code))
        .map((code) => `${route}: ${code}`);
    });
    assert.deepEqual(missing, []);
    const all = new Set(Object.values(made).flat());
    assert.ok(all.size > 30, `${all.size} codes were found`);
  });

  it('are all named by the schema of a problem', () => {
    const { code } = document.components.schemas.Problem?.properties ?? {};
    assert.deepEqual(code?.enum, Object.keys(PROBLEMS));
  });
});
