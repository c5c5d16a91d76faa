// The samples that use the SDK compile as they stand in the strictest project a user may have, and programs that are wrong do not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS, samplesOf, sections, textOf } from './samples/samples.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** What the guide tells a user to set, whose project has type "module". */
const guide = sections(textOf('docs/guides/sdk.md')).find(({ title }) => title === 'In TypeScript');
const settings = JSON.parse(guide?.samples.find(({ language }) => language === 'json')?.text ?? '{}');

const TSCONFIG = {
  ...settings,
  compilerOptions: {
    ...settings.compilerOptions,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitReturns: true,
    noPropertyAccessFromIndexSignature: false,
    skipLibCheck: true,
    noEmit: true,
  },
};

/** JavaScript that uses the SDK is compiled as TypeScript: an editor shows its mistakes, too. */
const samples = [...DOCUMENTS, 'sdk/README.md'].flatMap((document) =>
  samplesOf(document)
    .filter(
      ({ language, text }) => language === 'ts' || (language === 'js' && text.includes("'@airdate/sdk'")),
    )
    .map(({ text }, n) => ({ name: `${document.replaceAll(/\W/g, '-')}-${n}`, text })),
);

const GIVEN = `import { Airdate, AirdateError, verifyWebhook } from '@airdate/sdk';
const airdate = new Airdate();
const choices = { social_account_id: 'id', privacy_level: 'SELF_ONLY' as const };
declare const error: unknown;
`;

/** What does not compile, and what the compiler says. */
const WRONG: [title: string, program: string, message: RegExp][] = [
  [
    'the URL of a post that may have failed',
    `console.log((await airdate.posts.publishAndWait('id', choices)).post_url);`,
    /TS2339: Property 'post_url' does not exist on type 'SentOutcome'/,
  ],
  [
    'an outcome that there is not',
    `if ((await airdate.posts.publishAndWait('id', choices)).status === 'success') console.log('live');`,
    /TS2367: .* appears to be unintentional .* and '"success"' have no overlap/,
  ],
  [
    'that what was just published was never sent',
    `if ((await airdate.posts.publishAndWait('id', choices)).status === 'not_sent') console.log('a draft');`,
    /TS2367: .* appears to be unintentional .* and '"not_sent"' have no overlap/,
  ],
  [
    'an outcome that is forgotten',
    `const live: { post_url: string | null } = await airdate.posts.waitUntilPublished('id');`,
    /TS2322: Type 'Outcome' is not assignable/,
  ],
  [
    'the code of an error with a typo',
    `if (error instanceof AirdateError && error.code === 'quota_exeeded') console.log('full');`,
    /TS2367: .* and '"quota_exeeded"' have no overlap/,
  ],
  [
    'a filter of posts with a typo',
    `await airdate.posts.list({ status: 'drafts' });`,
    /TS2820|TS2322: Type '"drafts"' is not assignable/,
  ],
  [
    'one of several filters with a typo',
    `await airdate.dispatches.list({ outcome: ['failed', 'unkown'] });`,
    /TS2820|TS2322: Type '"unkown"' is not assignable/,
  ],
  [
    'an action of the audit log with a typo',
    `for await (const entry of airdate.organization.audit({ action: ['key.creatd'] })) console.log(entry.at);`,
    /TS2820|TS2322: Type '"key.creatd"' is not assignable/,
  ],
  [
    'the URL in an event that has none',
    `for await (const { type, data } of airdate.events.follow()) if (type === 'post.created') console.log(data.post_url);`,
    /TS2339: Property 'post_url' does not exist on type '\{ post_id: string; \}'/,
  ],
  [
    'a type of message with a typo',
    `if ((await verifyWebhook('', {}, '')).type === 'post.publishd') console.log('live');`,
    /TS2367: .* and '"post.publishd"' have no overlap/,
  ],
  [
    'the event of a message that is only a test',
    `const message = await verifyWebhook('', {}, '');\nif (message.type === 'webhook.test') console.log(message.event_id);`,
    /TS2339: Property 'event_id' does not exist/,
  ],
  [
    'a webhook for events that there are not',
    `await airdate.webhooks.create({ url: 'https://example.com', types: ['post.failed'] });`,
    /TS2820|TS2322: Type '"post.failed"' is not assignable/,
  ],
  [
    'a publish that does not say who can see the post',
    `await airdate.posts.publish('id', { social_account_id: 'id' });`,
    /TS2741: Property 'privacy_level' is missing/,
  ],
  [
    'a field with a typo',
    `await airdate.posts.create({ tittle: 'Five ways to fold a map' });`,
    /TS2561: .* 'tittle' does not exist/,
  ],
];

describe('The types of the SDK', () => {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-typed-'));
  /** What the compiler says of each file. */
  const messages = new Map<string, string[]>();

  before(() => {
    const write = (name: string, text: string) => writeFileSync(join(dir, `${name}.ts`), text);
    for (const { name, text } of samples) write(name, text);
    for (const [n, [, program]] of WRONG.entries()) write(`wrong-${n}`, `${GIVEN}${program}\n`);
    write('given', `${GIVEN}console.log(airdate, AirdateError, verifyWebhook, choices, error);\n`);
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module' }));
    for (const [name, path] of [
      ['@airdate/sdk', 'sdk'],
      ['@types/node', 'node_modules/@types/node'],
      ['undici-types', 'node_modules/undici-types'],
    ] as const) {
      mkdirSync(dirname(join(dir, 'node_modules', name)), { recursive: true });
      symlinkSync(join(ROOT, path), join(dir, 'node_modules', name));
    }
    const args = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', dir, '--pretty', 'false'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' });
    let file = '';
    for (const line of stdout.split('\n').filter((text) => text !== '')) {
      file = /^(\S+)\.ts\(/.exec(line)?.[1] ?? file;
      messages.set(file, [...(messages.get(file) ?? []), line]);
    }
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('are checked with the settings of the guide', () => {
    assert.equal(TSCONFIG.compilerOptions.strict, true);
    assert.deepEqual(TSCONFIG.include, ['*.ts']);
  });

  it('fit the samples of the documents as they stand', () => {
    assert.ok(samples.length >= 3, `${samples.length} samples`);
    const names = ['', 'given', ...samples.map(({ name }) => name)];
    assert.deepEqual(
      names.flatMap((name) => messages.get(name) ?? []),
      [],
    );
  });

  WRONG.forEach(([title, , message], n) => {
    it(`refuse ${title}`, () => assert.match((messages.get(`wrong-${n}`) ?? []).join(' '), message));
  });
});
