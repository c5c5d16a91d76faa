// The guides run as they are, page by page, in a shell against a service on its first start.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FAULT_KINDS, FAULT_TARGETS } from '@airdate/sandbox/faults.js';
import { readConfig } from '../../src/config/config.js';
import { ANY_ADDRESS } from '../../src/http/own-address.js';
import { type Service, startService } from '../../src/service.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { skipWithout, Terminal } from '../support/programs/terminal.js';
import { everyday } from '../support/runner/test-tiers.js';
import { unusedPort } from './samples/installation.js';
import { FOLLOWED_BY_RECIPES } from './samples/recipe-titles.js';
import { DOCUMENTS, isRun, type Sample, samplesOf, shellUnder, textOf } from './samples/samples.js';

const START = 'docs/guides/quick-start.md';

/** What must have been printed in the end, beside no command having failed. */
const PRINTED: Record<string, RegExp[]> = {
  [START]: [
    /privacy_level_missing/,
    /"publish_id":"p_pub_url/,
    /^Number four is a surprise\.$/m,
    /"outcome":"published"/,
  ],
  'docs/guides/api-basics.md': [/"pointer":"\/tittle"/, /"archived":1/],
  'docs/guides/idempotency.md': [/^([\da-f-]{36})\n\1$/m],
  'docs/guides/pagination.md': [/total_pages: \d/, /Vosges/, /^(true|false)$/m],
  'docs/guides/rate-limits.md': [/^ratelimit-remaining: \d+/im],
  'docs/guides/testing.md': [
    /"code":"platform_refused"[\s\S]*\(invalid_params\)$/m,
    /"status":"failed"[\s\S]*picture_size_check_failed/,
    /"code":"platform_timeout"[\s\S]*"status":"unknown"[\s\S]*^posted$/m,
    /"code":"platform_unavailable"[\s\S]*"publish_id":"p_pub_url/,
    /"code":"reconnect_required"[\s\S]*: reconnect_required[\s\S]*"publish_id":"p_pub_url/,
    /"code":"account_blocked"[\s\S]*spam_risk[\s\S]*^connected$[\s\S]*"publish_id":"p_pub_url/m,
    /"status":"scheduled"[\s\S]*"status":"published"/,
    /"status":"in_inbox"[\s\S]*"status":"published"/,
  ],
  'docs/guides/uploads.md': [/"position":1/, /"codec":/],
  'docs/guides/scheduling.md': [/2030-07-01T16:00/, /2030-12-01T17:00/, /"status":"scheduled"/],
  'docs/guides/unknown-outcomes.md': [/^(p_pub_url\S+)\n\1$/m],
  'docs/guides/webhooks.md': [
    /"delivered":true/,
    /"type":"post\.created".*"event_id":"evt_/,
    // The receiver may have printed it before its response is on record.
    /"type":"post.created","state":"(delivered|pending)"/,
  ],
  'docs/guides/publishing.md': [/error: no_media/, /"status":"in_inbox"/, /"success_rate"/],
  'docs/guides/people.md': [/\/invitation#/],
  'docs/guides/connect.md': [/privacy_level_options/],
  'docs/guides/python.md': [/^\d+ x \d+$/m, /^published /m, /Tomorrow at six/, /^True$/m],
  'docs/guides/cli.md': [/"status":"published"/, /not ready: 3/, /it ended with 5/, /"status":"scheduled"/],
  'docs/guides/sdk.md': [/^published /m],
  'docs/guides/agents.md': [/"post_publish"/, /would not go out/, /^2030-12-01T17:00:00Z$/m],
  'docs/import.md': [/"dry_run":true/],
};

/** The faults of this page would hit what other pages publish, so it has a service with settings of its own. */
const CONTROLLED = 'docs/guides/testing.md';

const pages = DOCUMENTS.filter(
  (document) => samplesOf(document).some(isRun) && !FOLLOWED_BY_RECIPES.includes(document),
);

describe('the guides', { concurrency: true, skip: skipWithout('bash', 'curl', 'python3') }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-guides-'));
  let service: Service;
  let controlled: Service;
  const start = (name: string, more: Record<string, string> = {}) => {
    const settings = { PORT: '0', HOST: '127.0.0.1', WEBHOOK_ALLOW: '127.0.0.1', SANDBOX_PROCESSING_MS: '0' };
    const env = { ...settings, DATA_DIR: join(dir, name), ...more };
    return startService(readConfig('serve', env), { log: silentLog });
  };
  before(async () => {
    service = await start('all');
    controlled = await start('controlled', {
      SANDBOX_CONTROL: 'on',
      PLATFORM_TIMEOUT_MS: '2000',
      SCHEDULE_MIN_LEAD_SECONDS: '0',
    });
  });
  after(async () => {
    await service?.stop();
    await controlled?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('are all known here', () => assert.deepEqual(Object.keys(PRINTED).sort(), pages.sort()));

  it('leave a shell in which a sample of the reference runs as it is', async () => {
    const { demo, url } = service;
    const reference = textOf('docs/dist/site/api/labels.md').replaceAll(ANY_ADDRESS, url);
    const [, sample = ''] = /^```sh\n([\s\S]*?)^```/m.exec(reference) ?? [];
    assert.match(sample, /\/api\/v1\/labels/);
    const setUp = shellUnder(START, 'Set up').replaceAll('ad_…', demo?.key ?? '');
    const terminal = new Terminal();
    try {
      const output = await terminal.run(`${setUp.replaceAll('http://localhost:3000', url)}${sample}`);
      assert.match(output, /"pagination":/);
    } finally {
      await terminal.close();
    }
  });

  it('tell every control call of the sandbox, and every fault', () => {
    const page = textOf(CONTROLLED);
    const source = textOf('sandbox/src/control.ts');
    const routes = [...source.matchAll(/(control\.get|\bon)\('\/(\w+)'/g)].map(([, how, name]) =>
      how === 'on' ? `POST ${name}` : `GET ${name}`,
    );
    assert.ok(routes.length > 8);
    for (const name of [...routes, ...FAULT_TARGETS, ...FAULT_KINDS])
      assert.ok(page.includes(`\`${name}\``), `${CONTROLLED} does not tell ${name}`);
  });

  const others = pages.filter((page) => page !== START && page !== CONTROLLED);
  for (const page of [START, CONTROLLED, ...everyday(5, others, 'guides')])
    it(`run to their end: ${page}`, async () => {
      const { demo, url } = page === CONTROLLED ? controlled : service;
      const texts = {
        'ad_…': demo?.key ?? '',
        'http://localhost:3000': url,
        8080: String(await unusedPort()),
      };
      const terminal = new Terminal();
      try {
        const script =
          (page === START ? '' : shellUnder(START, 'Set up')) + scriptOf(samplesOf(page).filter(isRun));
        const output = await terminal.run(
          Object.entries(texts).reduce((changed, [text, other]) => changed.replaceAll(text, other), script),
        );
        for (const expected of PRINTED[page] ?? []) assert.match(output, expected);
      } finally {
        await terminal.close();
      }
    });
});

/** The samples of a page as one script. Those in Python are one program. */
function scriptOf(samples: Sample[]): string {
  const quoted = (text: string) => `<<'END_OF_SAMPLE'\n${text}END_OF_SAMPLE\n`;
  const python = samples.filter(({ language }) => language === 'python').map(({ text }) => text);
  const typed = samples.map(({ language, mark, text }) => {
    const detail = mark.replace(/^run ?/, '');
    if (language === 'sh') return text;
    if (language === 'js')
      return detail ? `cat > ${detail} ${quoted(text)}` : `node --input-type=module - ${quoted(text)}`;
    if (language === 'json' && detail) return `call ${detail} "$(cat ${quoted(text)})"\n`;
    assert.ok(language === 'python' || language === 'json', `no test can run ${language}`);
    return '';
  });
  return [...typed, python.length > 0 ? `python3 - ${quoted(python.join('\n'))}` : ''].join('\n');
}
