// The schemas that people read are the ones that the migrations make. UPDATE_SCHEMA=on writes them (npm run schema).
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../support/databases/fresh-databases.js';
import { dumpSchema, schemaFile } from '../support/databases/schema-dump.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

describe('The schema to read', () => {
  for (const engine of ENGINES)
    it(`is the newest of ${engine} (else run: npm run schema)`, async () => {
      const file = join(ROOT, schemaFile(engine));
      const made = await dumpSchema(engine);
      if (process.env.UPDATE_SCHEMA) writeFileSync(file, made);
      assert.equal(existsSync(file) ? readFileSync(file, 'utf8') : '', made);
    });
});
