// Spans of a request, a claim, calls to the platform and a webhook, recorded by a tracer of the test.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { startTestService } from '../support/service/harness.js';
import { type Recorded, recordSpans } from '../support/service/tracing.js';
import { ALLOW, addWebhook, Receiver, sendAll } from '../support/service/webhooks.js';
import { useWorld } from '../support/world/world.js';

onEngines('postgres', 'Spans', (engine) => {
  let spans: ReturnType<typeof recordSpans>;
  before(() => {
    spans = recordSpans();
  });
  after(() => spans.stop());
  // After the hook above: its service finds the tracer.
  const world = useWorld(engine, { env: ALLOW });

  async function ended(name: string): Promise<Recorded> {
    const find = () => spans.ended.find((span) => span.name === name);
    await until(`the span ${name} has ended`, async () => find() !== undefined);
    return find() as Recorded;
  }

  it('of a request that publishes contain its calls to the platform', async () => {
    const creator = await world.creator();
    const id = await world.post(creator);
    spans.ended.length = 0;
    assert.equal((await world.publishNow(creator, id)).status, 200);
    const request = await ended('POST /api/v1/posts/:id/publish');
    assert.equal(request.kind, SpanKind.SERVER);
    assert.equal(request.parentId, undefined);
    const { 'http.route': route, 'http.response.status_code': status } = request.attributes;
    assert.deepEqual([route, status], ['/api/v1/posts/:id/publish', 200]);
    const submit = await ended('platform submit');
    assert.equal(submit.kind, SpanKind.CLIENT);
    assert.deepEqual([submit.traceId, submit.parentId], [request.traceId, request.spanId]);
    assert.equal(submit.attributes['airdate.result'], 'accepted');
  });

  it('of a due post contain its claim and its calls, without ids of customers', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    spans.ended.length = 0;
    await world.runOnce();
    const publish = await ended('publish');
    for (const name of ['claim', 'platform submit'])
      assert.deepEqual([(await ended(name)).parentId, name], [publish.spanId, name]);
    assert.equal((await ended('claim')).attributes['airdate.claim'], 'claimed');
    const text = JSON.stringify(spans.ended);
    for (const secret of [id, creator.org.id, creator.org.key, creator.username])
      assert.ok(!text.includes(secret));
  });

  it('of a webhook tell the status of its answer', async () => {
    const receiver = await new Receiver().start();
    try {
      const org = await world.service.newOrganization();
      await addWebhook(org, receiver.url);
      await org.addPost();
      spans.ended.length = 0;
      await sendAll(world.service);
      const webhook = await ended('webhook');
      assert.deepEqual(
        [webhook.kind, webhook.attributes['http.response.status_code']],
        [SpanKind.CLIENT, 200],
      );
    } finally {
      await receiver.stop();
    }
  });

  it('are not made by a service that finds no tracer', async () => {
    spans.stop();
    const service = await startTestService('sqlite', {
      command: 'api',
      env: { SOCIAL_API_URL: 'http://127.0.0.1:9' },
    });
    try {
      assert.equal(service.app.spans.areRecorded, false);
      spans.ended.length = 0;
      await service.request('GET', '/healthz');
      assert.deepEqual(spans.ended, []);
    } finally {
      await service.stop();
    }
  });
});
