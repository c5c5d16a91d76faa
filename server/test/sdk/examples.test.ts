// Every example in the documentation of the SDK compiles as a user would compile it, and runs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Airdate } from '@airdate/sdk';
import { Webhook } from 'standardwebhooks';
import { everyday } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { addDispatch, farSlot, published, readyPost, setPost } from '../support/service/posts.js';
import { ALLOW, addDelivery, addWebhook, Receiver } from '../support/service/webhooks.js';
import { examples, methods, ROOT } from '../support/sources/sdk-sources.js';

/** As a user of TypeScript has it, without the types of Node: the SDK works elsewhere too. */
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    // The types of the SDK itself are checked with those of the browser in the proofs: that takes a while.
    skipLibCheck: everyday(true, false),
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  },
};

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const IMPORT = /^import \{ (.+) \} from '@airdate\/sdk';$/gm;

describe('The examples of the SDK', () => {
  const service = useService('sqlite', {
    env: { ...ALLOW, SANDBOX_PROCESSING_MS: '0', RECONCILE_INTERVAL_MS: '200' },
  });
  const receiver = new Receiver();
  const dir = mkdtempSync(join(tmpdir(), 'airdate-examples-'));
  let org: Organization;
  let account: Promise<string>;
  let run: ((context: object) => Promise<void>)[];

  before(async () => {
    await receiver.start();
    org = await service.newOrganization();
    account = org.connectAccount();
    run = await compile();
  });
  after(async () => {
    await receiver.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** What examples name without making it. Each gets its own. */
  const things: Record<string, () => unknown> = {
    airdate: () => new Airdate({ url: service.url, apiKey: org.key }),
    operator: () => new Airdate({ url: service.url, apiKey: ADMIN_TOKEN }),
    serviceUrl: () => service.url,
    apiKey: () => org.key,
    accountId: () => account,
    otherAccountId: () => org.connectAccount(),
    postId: () => org.addPost(),
    videoId: () => org.addPost({ post_type: 'video' }),
    readyId: () => readyPost(org),
    scheduledId: async () => {
      const id = await readyPost(org);
      await org.sdk.posts.update(id, await farSlot(service, org, await account));
      return id;
    },
    publishedId: async () => {
      const id = await readyPost(org);
      await published(org, id, await account);
      return id;
    },
    unknownId: async () => {
      const id = await org.addPost();
      await setPost(service, id, { status: 'publishing' });
      const social_account_id = await account;
      await addDispatch(service, org, id, { outcome: 'unknown', social_account_id });
      return id;
    },
    dispatchId: async () => addDispatch(service, org, await org.addPost(), {}),
    labelId: async () => (await org.sdk.labels.create({ name: `L${Math.random()}`, colour: 'red' })).id,
    snippetId: async () =>
      (await org.sdk.snippets.create({ kind: 'caption', name: `S${Math.random()}`, text: 'Text' })).id,
    keyId: async () => (await org.sdk.keys.create({ name: 'A key' })).id,
    memberId: async () => (await newPerson(service, org.id, 'viewer')).id,
    invitationId: async () => (await org.sdk.members.invite({ role: 'viewer' })).id,
    webhookId: async () => (await addWebhook(org, receiver.url)).id,
    organizationId: async () => (await service.newOrganization()).id,
    webhookSecret: () => SECRET,
    webhookRequest: () => signedRequest(),
  };

  function signedRequest(): Request {
    const body = JSON.stringify({ type: 'post.published', timestamp: new Date().toISOString(), data: {} });
    const at = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign('msg_1', at, body),
    };
    return new Request('http://localhost/hooks', { method: 'POST', headers, body });
  }

  async function contextFor(code: string): Promise<object> {
    const context: Record<string, unknown> = { console: { log() {} } };
    for (const [name, make] of Object.entries(things))
      if (new RegExp(`\\b${name}\\b`).test(code)) context[name] = await make();
    if (/\bdeliveryId\b/.test(code))
      context.deliveryId = await addDelivery(service, org, context.webhookId as string);
    return context;
  }

  /** One module with a function for each example. */
  async function compile(): Promise<typeof run> {
    const cover = JSON.stringify(join(ROOT, 'server/test/media/slide.png'));
    const imported = new Set(['Airdate']);
    const functions = examples.map(({ code }) => {
      const body = code.replace(IMPORT, (_line, names: string) => {
        for (const name of names.split(', ')) imported.add(name);
        return '';
      });
      return `async ({ ${NAMES.join(', ')} }: Context) => {\n${body.replaceAll("'./cover.png'", cover)}\n},\n`;
    });
    const source = [
      `import { ${[...imported].join(', ')} } from '@airdate/sdk';`,
      `interface Context { ${NAMES.map((name) => `${name}: ${typeOf(name)}`).join('; ')} }`,
      `export const run: ((context: Context) => Promise<void>)[] = [\n${functions.join('')}];`,
    ];
    writeFileSync(join(dir, 'examples.ts'), source.join('\n'));
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    mkdirSync(join(dir, 'node_modules/@airdate'), { recursive: true });
    symlinkSync(join(ROOT, 'sdk'), join(dir, 'node_modules/@airdate/sdk'));
    await promisify(execFile)(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      dir,
    ]).catch(({ stdout }) => assert.fail(stdout));
    return (await import(String(pathToFileURL(join(dir, 'examples.js'))))).run;
  }

  const NAMES = [...Object.keys(things), 'deliveryId', 'console'];
  const TYPES: Record<string, string> = {
    airdate: 'Airdate',
    operator: 'Airdate',
    webhookRequest: 'Request',
    console: '{ log(...words: unknown[]): void }',
  };
  const typeOf = (name: string) => TYPES[name] ?? 'string';

  it('are there for every method', () => {
    const titles = new Set(examples.map(({ title }) => title));
    assert.ok(methods.length > 80, `${methods.length} methods`);
    assert.deepEqual(
      methods.filter((method) => !titles.has(method)),
      [],
    );
  });

  examples.forEach(({ title, code }, n) => {
    it(`run: ${title}`, async () => run[n]?.(await contextFor(code)));
  });
});
