// What is published: a method for each operation, a small package without dependencies, and nothing that browsers lack.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Airdate } from '@airdate/sdk';
import { rolldown } from 'rolldown';
import { ROOT } from '../support/sources/sdk-sources.js';

/** In bytes, compressed with gzip. */
const MAX_BYTES = 8 * 1024;

/** Operations without a method, and why. `request()` reaches them. */
const WITHOUT_METHOD: Record<string, string> = {
  updateMe: 'for a person’s session',
  readInvitation: 'for the page of an invitation',
  acceptInvitation: 'for the page of an invitation',
  getAuthState: 'for the sign-in page',
  signUp: 'for the sign-in page',
  signIn: 'for the sign-in page',
  enter: 'for the sign-in page',
  forgotPassword: 'for the sign-in page',
  resetPassword: 'for the page of a reset link',
  createMemberResetLink: 'for a person’s session',
  signInWithCode: 'for the sign-in page',
  signOut: 'for a person’s session',
  changePassword: 'for a person’s session',
  confirm: 'for a person’s session',
  endOtherSessions: 'for a person’s session',
  endMemberSessions: 'for a person’s session',
  updateProfile: 'for a person’s session',
  listSessions: 'for a person’s session',
  endSession: 'for a person’s session',
  listFactors: 'for a person’s session',
  createFactor: 'for a person’s session',
  getFactor: 'for a person’s session',
  confirmFactor: 'for a person’s session',
  removeFactor: 'for a person’s session',
  createRecoveryCodes: 'for a person’s session',
  getHealth: 'for load balancers',
  getReadiness: 'for load balancers',
  getProblem: 'for readers of a problem’s type',
  getUpload: 'part of posts.upload',
  completeParts: 'part of posts.upload',
};

const document = JSON.parse(readFileSync(join(ROOT, 'sdk/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { operationId: string }>>;
};
const manifest = JSON.parse(readFileSync(join(ROOT, 'sdk/package.json'), 'utf8'));

/** Calls every method, and returns the operations that were asked for. */
async function operationsOfMethods(): Promise<Set<string>> {
  const asked = new Set<string>();
  const fetch = async (url: unknown, init?: RequestInit) => {
    asked.add(`${init?.method} ${new URL(String(url)).pathname}`);
    return Response.json({ data: { items: [] } });
  };
  const airdate = new Airdate({ url: 'http://sdk.test', apiKey: 'ad_x', fetch });
  const resources = Object.values(airdate).filter((member) => typeof member === 'object');
  for (const resource of [...resources, airdate.posts.assets])
    for (const name of methodsOf(resource)) {
      // What is made of several calls.
      if (['upload', 'publishAndWait', 'waitUntilPublished', 'follow'].includes(name)) continue;
      await resource[name]('ID', takesWords(name) ? 'word' : BODY, {});
    }
  return asked;
}

/** Of all bodies, only this needs something. */
const BODY = { at: '2030-01-01T00:00:00Z' };

const takesWords = (name: string) =>
  ['remove', 'complete', 'abort', 'replay', 'resolve', 'key'].includes(name);

// biome-ignore lint/suspicious/noExplicitAny: methods of every shape
function methodsOf(resource: any): string[] {
  const names: string[] = [];
  for (let at = Object.getPrototypeOf(resource); at !== Object.prototype; at = Object.getPrototypeOf(at))
    names.push(...Object.getOwnPropertyNames(at));
  return names.filter((name) => name !== 'constructor' && name !== 'pages');
}

describe('The package @airdate/sdk', () => {
  it('has a method for every operation, or a reason why not', async () => {
    const asked = [...(await operationsOfMethods())];
    const missing: string[] = [];
    for (const [path, verbs] of Object.entries(document.paths))
      for (const [verb, { operationId }] of Object.entries(verbs)) {
        if (verb === 'parameters') continue;
        const pattern = new RegExp(`^${verb.toUpperCase()} ${path.replace(/\{\w+\}/g, '(ID|word)')}$`);
        if (!asked.some((request) => pattern.test(request))) missing.push(operationId);
      }
    assert.deepEqual(missing.sort(), Object.keys(WITHOUT_METHOD).sort());
  });

  it(`has an entry of at most ${MAX_BYTES} bytes, and uploads load on their own`, async () => {
    const bundle = await rolldown({ input: join(ROOT, 'sdk/dist/index.js'), platform: 'browser' });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    const chunks = output.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []));
    const entry = chunks.find(({ isEntry }) => isEntry);
    const first = chunks.filter((chunk) => chunk === entry || entry?.imports.includes(chunk.fileName));
    const bytes = first.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
    console.log(
      `the entry has ${bytes} bytes, all files ${gzipSync(chunks.map(({ code }) => code).join()).length}`,
    );
    assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
    assert.ok(chunks.length > first.length);
    for (const { imports } of chunks)
      assert.deepEqual(
        imports.filter((name) => !chunks.some(({ fileName }) => fileName === name)),
        [],
      );
  });

  it('needs no other package, and no module of Node that a browser lacks', () => {
    assert.equal(manifest.dependencies, undefined);
    assert.notEqual(manifest.private, true);
    assert.equal(manifest.sideEffects, false);
    assert.equal(manifest.license, 'MIT');
    // The service tells its document itself, with its own address.
    assert.deepEqual(manifest.files, ['dist/**/*.js', 'dist/**/*.d.ts']);
  });
});
