// A publish ends in what became of it: thrown if it was refused, a value otherwise, and unknown only if it is.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { Airdate, NotPublished, OutcomeUnknown, Refused, responseOf } from '@airdate/sdk';
import { type Fate, Line } from '../support/network/cuttable-connection.js';
import { type Organization, useService } from '../support/service/harness.js';
import { farSlot, readyPost } from '../support/service/posts.js';

describe('Publishing with the SDK', () => {
  const line = new Line();
  before(() => line.start());
  const service = useService('sqlite', {
    env: {
      SANDBOX_CONTROL: 'on',
      SANDBOX_PROCESSING_MS: '0',
      RECONCILE_INTERVAL_MS: '100',
      PLATFORM_TIMEOUT_MS: '1000',
    },
  });
  let org: Organization;
  let airdate: Airdate;
  let choices: { social_account_id: string; privacy_level: 'PUBLIC_TO_EVERYONE' };
  before(async () => {
    line.target = service.url;
    org = await service.newOrganization();
    airdate = new Airdate({ url: line.url, apiKey: org.key });
    choices = { social_account_id: await org.connectAccount(), privacy_level: 'PUBLIC_TO_EVERYONE' };
  });
  afterEach(async () => {
    line.clear();
    await control('clear');
  });
  after(() => line.stop());

  const control = async (what: string, body: object = {}) =>
    (await service.request('POST', `/sandbox/__control/${what}`, { body })).json;
  const publishes = async (): Promise<unknown[]> =>
    (await service.request('GET', '/sandbox/__control/publishes')).json.data;
  const isPublish = ({ path }: { path: string }) => path.endsWith('/publish');

  for (const type of ['slides', 'video'] as const)
    it(`waits until ${type} are published`, async () => {
      const id = await readyPost(org, type);
      const seen = new Set<string>();
      const onStatus = (status: string) => seen.add(status);
      const outcome = await airdate.posts.publishAndWait(id, choices, { onStatus });
      assert.equal(outcome.status, 'published', JSON.stringify(outcome));
      const { publish_id, dispatch_id = '' } = outcome.orThrow();
      assert.ok(publish_id);
      assert.equal((await airdate.dispatches.get(dispatch_id)).outcome, 'published');
      assert.ok(seen.has('published'));
    });

  it('ends in the inbox, or in a failure with its reason', async () => {
    const inbox = await airdate.posts.publishAndWait(await readyPost(org), { ...choices, mode: 'inbox' });
    assert.equal(inbox.status, 'in_inbox');
    await control('outcomes', { status: 'FAILED', fail_reason: 'picture_size_check_failed' });
    const failed = await airdate.posts.publishAndWait(await readyPost(org), choices);
    assert.ok(failed.status === 'failed');
    assert.match(failed.fail_reason, /picture_size_check_failed/);
    const thrown = { name: 'NotPublished', code: 'not_published', outcome: failed };
    assert.throws(() => failed.orThrow(), { ...thrown, message: /picture_size_check_failed/ });
  });

  it('throws what was refused', async () => {
    await assert.rejects(airdate.posts.publishAndWait(await org.addPost(), choices), {
      name: 'Conflict',
      code: 'no_media',
    });
    const hidden = { ...choices, privacy_level: 'SELF_ONLY' as const, brand_content_toggle: true };
    await assert.rejects(airdate.posts.publishAndWait(await readyPost(org), hidden), Refused);
  });

  it('is sent once, however often its answer is lost', async () => {
    const id = await readyPost(org);
    const before = (await publishes()).length;
    const fates: Fate[] = ['lose', 'cut'];
    line.decide = (request) => (isPublish(request) ? (fates.shift() ?? 'pass') : 'pass');
    const published = await airdate.posts.publish(id, choices);
    assert.equal(responseOf(published)?.idempotencyReplayed, true);
    assert.equal(line.passed.filter(isPublish).length, 3);
    assert.equal((await publishes()).length, before + 1);
  });

  it('is unknown, and not sent again, if the service cannot be asked any more', async () => {
    const id = await readyPost(org);
    const before = (await publishes()).length;
    line.decide = (request) => (isPublish(request) ? 'lose' : 'pass');
    const error = await airdate.posts.publish(id, choices).then(
      () => assert.fail('it was answered'),
      (reason) => reason,
    );
    assert.ok(error instanceof OutcomeUnknown);
    assert.deepEqual([error.status, error.code], [0, 'outcome_unknown']);
    line.clear();
    assert.equal((await airdate.posts.waitUntilPublished(id)).status, 'published');
    // The same key asks what became of it.
    const { idempotencyKey } = error;
    assert.ok((await airdate.posts.publish(id, choices, { idempotencyKey })).publish_id);
    assert.equal((await publishes()).length, before + 1);
  });

  it('stays in doubt while answers say nothing about the first request, and ends with one that does', async () => {
    const id = await readyPost(org);
    const before = (await publishes()).length;
    const silent = { status: 429, headers: { 'retry-after': '60' } };
    const fates: Fate[] = ['lose', 'lose', 'lose', silent];
    line.decide = (request) => (isPublish(request) ? (fates.shift() ?? 'pass') : 'pass');
    assert.equal((await airdate.posts.publishAndWait(id, choices)).status, 'published');
    assert.equal(line.passed.filter(isPublish).length, 5);
    assert.equal((await publishes()).length, before + 1);
    const patience = { timeout: 1 };
    line.decide = (request) => (isPublish(request) ? 'lose' : 'pass');
    const { status } = await airdate.posts.publishAndWait(await readyPost(org), choices, patience);
    assert.equal(status, 'unknown');
  });

  it('is unknown if the platform’s answer is lost, and is asked for only once', async () => {
    const id = await readyPost(org);
    await control('faults', { on: 'init', kind: 'hang', times: 1 });
    await assert.rejects(airdate.posts.publish(id, choices), { name: 'OutcomeUnknown', status: 504 });
    assert.equal(line.passed.filter(isPublish).length, 1);
    const { status } = await airdate.posts.waitUntilPublished(id);
    assert.equal(status, 'unknown');
    await airdate.posts.resolve(id, 'not_posted');
    const other = await readyPost(org);
    await control('faults', { on: 'init', kind: 'hang', times: 1 });
    const outcome = await airdate.posts.publishAndWait(other, choices);
    assert.ok(outcome.status === 'unknown');
    assert.equal(outcome.publish_id, null);
    assert.throws(() => outcome.orThrow(), OutcomeUnknown);
  });

  it('is still scheduled when the time to wait is over before the slot, and a draft is not waited for', async () => {
    const id = await readyPost(org);
    const { scheduled_at } = await org.sdk.posts.update(
      id,
      await farSlot(service, org, choices.social_account_id),
    );
    const waiting = await airdate.posts.waitUntilPublished(id, { timeout: 50 });
    assert.deepEqual({ ...waiting }, { status: 'scheduled', scheduled_at, dispatch_id: undefined });
    const draft = await airdate.posts.waitUntilPublished(await org.addPost());
    assert.equal(JSON.stringify(draft), '{"status":"not_sent"}');
    for (const outcome of [waiting, draft])
      assert.throws(
        () => outcome.orThrow(),
        (error) => error instanceof NotPublished && error.outcome === outcome,
      );
  });
});
