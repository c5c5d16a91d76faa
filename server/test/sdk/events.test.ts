// Every event once and in its order, through lost connections, and where streams do not come through.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { Airdate, type Event, NotFound, verifyWebhook, WebhookVerificationError } from '@airdate/sdk';
import { Webhook } from 'standardwebhooks';
import { Line } from '../support/network/cuttable-connection.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { ALLOW, addWebhook, type Received, Receiver } from '../support/service/webhooks.js';

describe('What happens, told by the SDK:', () => {
  const service = useService('sqlite', { env: ALLOW });

  describe('events.follow', () => {
    const line = new Line();
    before(() => line.start());
    before(() => {
      line.target = service.url;
    });
    afterEach(() => line.clear());
    after(() => line.stop());

    async function anOrganization() {
      const org = await service.newOrganization();
      return { org, airdate: new Airdate({ url: line.url, apiKey: org.key }) };
    }

    async function take(events: AsyncIterable<Event>, count: number): Promise<string[]> {
      const taken: string[] = [];
      for await (const event of events) {
        taken.push('post_id' in event.data ? event.data.post_id : '');
        if (taken.length === count) break;
      }
      return taken;
    }

    it('has what happened after an event, and what happens from now on', async () => {
      const { org, airdate } = await anOrganization();
      const first = [await org.addPost(), await org.addPost()];
      const following = take(airdate.events.follow({ after: 'evt_000000000' }), 3);
      const third = await org.addPost();
      assert.deepEqual(await following, [...first, third]);
      const [, second] = await airdate.events.list();
      assert.deepEqual(await take(airdate.events.follow({ after: second?.id }), 1), [third]);
    });

    it('lists one page when awaited, and all events when iterated', async () => {
      const { org, airdate } = await anOrganization();
      const posts = [await org.addPost(), await org.addPost(), await org.addPost()];
      assert.equal((await airdate.events.list({ limit: 2 })).length, 2);
      assert.deepEqual(await take(airdate.events.list({ limit: 2 }), Number.POSITIVE_INFINITY), posts);
      const [first] = await airdate.events.list();
      const later = airdate.events.list({ after: first?.id, limit: 1 });
      assert.deepEqual(await take(later, Number.POSITIVE_INFINITY), posts.slice(1));
    });

    it('says that events have expired, in a stream and in a list', async () => {
      const { org, airdate } = await anOrganization();
      for (let i = 0; i < 3; i++) await org.addPost();
      await service.app.db.transact((tx) =>
        tx.deleteFrom('events').where('org_id', '=', org.id).where('seq', '=', 1).execute(),
      );
      const gapsAfter = async (after: string) => {
        let gaps = 0;
        const onGap = () => gaps++;
        await take(airdate.events.follow({ after, onGap }), 1);
        return gaps;
      };
      assert.deepEqual([await gapsAfter('evt_000000000'), await gapsAfter('evt_000000001')], [1, 0]);
      const page = await airdate.events.page({ after: 'evt_000000000', limit: 1 });
      assert.deepEqual([page.data.length, page.has_more, page.gap], [1, true, true]);
    });

    it('goes on after each lost connection, without a gap and without a repetition', async () => {
      const { org, airdate } = await anOrganization();
      const posts = [await org.addPost()];
      const taken: string[] = [];
      for await (const event of airdate.events.follow({ after: 'evt_000000000' })) {
        taken.push('post_id' in event.data ? event.data.post_id : '');
        if (taken.length === 4) break;
        // The line is cut; the next post is created while no stream is open.
        line.cutAll();
        posts.push(await org.addPost());
      }
      assert.deepEqual(taken, posts);
      assert.equal(line.passed.filter(({ headers }) => headers['last-event-id']).length, 4);
    });

    it('asks for events where no stream comes through', async () => {
      const { org, airdate } = await anOrganization();
      await org.addPost();
      line.decide = ({ headers }) =>
        headers.accept === 'text/event-stream'
          ? { status: 200, headers: { 'content-type': 'text/plain' }, body: 'held back' }
          : 'pass';
      const following = take(airdate.events.follow({ pollInterval: 20 }), 2);
      // From now on: the first question finds where that is.
      await until(
        'it asks for events',
        () => line.paths.filter((path) => path === 'GET /api/v1/events').length > 5,
      );
      const posts = [await org.addPost(), await org.addPost()];
      assert.deepEqual(await following, posts);
    });

    it('ends in an error if the cursor is unknown, or its signal is aborted', async () => {
      const { airdate } = await anOrganization();
      await assert.rejects(take(airdate.events.follow({ after: 'evt_0000zzzzz' }), 1), NotFound);
      const controller = new AbortController();
      const following = take(airdate.events.follow({ signal: controller.signal }), 1);
      controller.abort(new Error('enough'));
      await assert.rejects(following, { message: 'enough' });
    });
  });

  describe('verifyWebhook', () => {
    const receiver = new Receiver();
    before(() => receiver.start());
    after(() => receiver.stop());

    /** What the worker has sent as its first or next message. */
    async function receivedAs(n: number): Promise<Received> {
      await until('the message is there', () => receiver.received.length > n);
      return receiver.received[n] as Received;
    }

    it('takes the messages that the service sends, with the headers of node:http', async () => {
      const org = await service.newOrganization();
      const { id, secret } = await addWebhook(org, receiver.url);
      const post = await org.addPost();
      const received = await receivedAs(0);
      const message = await verifyWebhook(received.body, received.headers, secret);
      assert.ok(message.type === 'post.created');
      assert.deepEqual([message.data.post_id, message.id], [post, received.headers['webhook-id']]);
      assert.equal(message.event_id, (await org.sdk.events.list()).at(-1)?.id);
      // Signed with both secrets while one is being replaced.
      const { secret: next } = await org.sdk.webhooks.rotate(id);
      await org.addPost();
      const later = await receivedAs(1);
      for (const known of [secret, next, [secret, next], [next, secret]])
        assert.equal(
          (await verifyWebhook(Buffer.from(later.body), later.headers, known)).type,
          'post.created',
        );
    });

    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const body = '{"type":"post.created","timestamp":"2026-12-01T18:00:00Z","data":{}}';
    const signed = (at = new Date(), text = body) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', at, text),
    });

    it('agrees with the library of the standard', async () => {
      assert.deepEqual(await verifyWebhook(body, new Headers(signed()), secret), JSON.parse(body));
    });

    it('refuses everything else', async () => {
      const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
      const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
      const cases: [string, string, Record<string, string>, string][] = [
        ['another secret', body, signed(), other],
        ['another body', `${body} `, signed(), secret],
        ['another id', body, { ...signed(), 'webhook-id': 'msg_2' }, secret],
        ['an old message', body, signed(ago(302)), secret],
        ['one from the future', body, signed(ago(-302)), secret],
        ['a time that is none', body, { ...signed(), 'webhook-timestamp': 'now' }, secret],
        ['another version', body, { ...signed(), 'webhook-signature': 'v2,AAAA' }, secret],
        ['no Base64', body, { ...signed(), 'webhook-signature': 'v1,*' }, secret],
        ['an empty signature', body, { ...signed(), 'webhook-signature': 'v1,' }, secret],
        ['no signature', body, { ...signed(), 'webhook-signature': '' }, secret],
        ['an empty secret', body, signed(), 'whsec_'],
      ];
      for (const [title, text, headers, known] of cases)
        await assert.rejects(verifyWebhook(text, headers, known), WebhookVerificationError, title);
      const at = ago(299);
      await verifyWebhook(body, signed(at), secret);
      await verifyWebhook(body, signed(ago(3000)), secret, { now: ago(3000).getTime() });
    });
  });
});
