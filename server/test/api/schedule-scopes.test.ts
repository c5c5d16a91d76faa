// A slot publishes by itself when its time comes, so a caller that books one, or changes what it will publish, must be
// allowed to publish.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SCOPES } from '../../src/app/scopes.js';
import { updatePost } from '../../src/posts/posts.js';
import type { UpdatePost } from '../../src/posts/schema.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { addPostIn, assertProblem, at, readPost, slot } from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const HOUR_MS = 3_600_000;
const TOGGLES = [
  'disable_comment',
  'disable_duet',
  'disable_stitch',
  'brand_content_toggle',
  'brand_organic_toggle',
] as const;

onEngines('sqlite', 'The scopes of scheduling', (engine) => {
  /** Called whenever the service starts a transaction. */
  let onTransact = () => {};
  const service = useService(engine, {
    ...WITHOUT_WORKER,
    database: (real) => ({
      ...real,
      transact: (work) => {
        onTransact();
        return real.transact(work);
      },
    }),
  });

  const writer = (org: Organization) => org.keyWith(['posts:read', 'posts:write']);
  const publisher = (org: Organization) => org.keyWith(['posts:read', 'posts:write', 'posts:publish']);
  const patch = (key: string, id: string, body: unknown) =>
    service.request('PATCH', `/api/v1/posts/${id}`, { key, body });

  function assertNeedsPublish(answer: Answer): void {
    assertProblem(answer, 403, 'insufficient_scope');
    assert.match(answer.json.detail, /^(Scheduling|Changing) .* needs the scope posts:publish\. /);
  }

  /** Refused to a key that may only write, without any change; allowed to one that may publish. */
  async function needsPublish(org: Organization, id: string, body: unknown): Promise<void> {
    const before = await readPost(org, id);
    assertNeedsPublish(await patch(await writer(org), id, body));
    assert.deepEqual(await readPost(org, id), before);
    const answer = await patch(await publisher(org), id, body);
    assert.equal(answer.status, 200, answer.text);
  }

  async function needsOnlyWrite(org: Organization, id: string, body: unknown): Promise<void> {
    const answer = await patch(await writer(org), id, body);
    assert.equal(answer.status, 200, answer.text);
  }

  it('require posts:publish to book a slot, whether its fields are sent or stored', async () => {
    const org = await service.newOrganization();
    const { status, ...fields } = await slot(service, org);
    await needsPublish(org, await org.addPost(), { status, ...fields });
    const prepared = await org.addPost();
    await needsOnlyWrite(org, prepared, fields);
    await needsPublish(org, prepared, { status });
  });

  it('require posts:publish to move a slot, with the status or without it', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const later = (hours: number) => at(service.clock.now() + hours * HOUR_MS);
    await needsPublish(org, id, { scheduled_at: later(2) });
    await needsPublish(org, id, { status: 'scheduled', scheduled_at: later(3) });
    await needsPublish(org, id, { status: 'scheduled' });
  });

  it('require posts:publish to change the account, privacy, mode or a toggle of a scheduled post', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    await needsPublish(org, id, { social_account_id: await org.addAccount() });
    await needsPublish(org, id, { privacy_level: 'FOLLOWER_OF_CREATOR' });
    await needsPublish(org, id, { publish_mode: 'inbox' });
    for (const toggle of TOGGLES) await needsPublish(org, id, { [toggle]: true });
    await needsPublish(org, id, { caption: 'New', disable_duet: false });
  });

  it('require only posts:write to change the text of a scheduled post and to clear its slot', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    await needsOnlyWrite(org, id, { title: 'New', caption: 'New', hashtags: '#new' });
    assert.equal((await readPost(org, id)).status, 'scheduled');
    // A post that is no longer scheduled may get another account in the same step.
    await needsOnlyWrite(org, id, { status: 'draft', social_account_id: await org.addAccount() });
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  it('let a key with posts:write send the fields of a scheduled post unchanged', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const post = await readPost(org, id);
    const same = Object.fromEntries(TOGGLES.map((toggle) => [toggle, post[toggle]]));
    const { scheduled_at, privacy_level, publish_mode } = post;
    const social_account_id = post.social_account_id?.toUpperCase();
    const body = { ...same, scheduled_at, privacy_level, publish_mode, social_account_id, caption: 'New' };
    await needsOnlyWrite(org, id, body);
    await needsOnlyWrite(org, id, {});
    const { updated_at: _, ...after } = await readPost(org, id);
    const { updated_at: __, ...before } = post;
    assert.deepEqual(after, { ...before, caption: 'New' });
  });

  it('let a key with posts:write prepare a whole draft, even with a time that books no slot', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { status: _, ...fields } = await slot(service, org);
    const toggles = Object.fromEntries(TOGGLES.map((toggle) => [toggle, true]));
    await needsOnlyWrite(org, id, { ...fields, publish_mode: 'inbox', ...toggles });
    await needsOnlyWrite(org, id, { status: 'draft' });
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  it('let an editor book, move and change slots', async () => {
    const org = await service.newOrganization();
    const { browser } = await newPerson(service, org.id, 'editor');
    const path = `/api/v1/posts/${await org.addPost()}`;
    const moved = { scheduled_at: at(service.clock.now() + 2 * HOUR_MS), disable_duet: true };
    for (const body of [await slot(service, org), moved]) {
      const answer = await browser.call('PATCH', path, body);
      assert.equal(answer.status, 200, answer.text);
    }
  });

  it('are checked before the fields: 403, not 400', async () => {
    const org = await service.newOrganization();
    assertNeedsPublish(await patch(await writer(org), await org.addPost(), { status: 'scheduled' }));
    const id = await addPostIn(service, org, 'scheduled');
    assertNeedsPublish(await patch(await writer(org), id, { privacy_level: null }));
  });

  it('require only posts:write to archive and restore a scheduled post: it comes back without a slot', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const key = await writer(org);
    for (const action of ['archive', 'unarchive']) {
      const answer = await service.request('PATCH', '/api/v1/posts/batch', {
        key,
        body: { ids: [id], action },
      });
      assert.equal(answer.status, 200, answer.text);
    }
    const { status, scheduled_at } = await readPost(org, id);
    assert.deepEqual([status, scheduled_at], ['draft', null]);
  });

  /** Books the post in a transaction that stays open until a request of the key has started its own. */
  async function whileBeingBooked(
    org: Organization,
    id: string,
    request: () => Promise<Answer>,
  ): Promise<Answer> {
    const booked = new Latch();
    const asked = new Latch();
    const booking: UpdatePost = await slot(service, org);
    const { app } = service;
    const caller = {
      via: 'key' as const,
      orgId: org.id,
      keyId: app.newId(),
      name: 'A key',
      address: '127.0.0.1',
      plan: 'growth' as const,
      trialEndsAt: null,
      quotas: null,
      scopes: new Set(SCOPES),
      madeBy: null,
    };
    const committed = app.db.transact(async (tx) => {
      await updatePost(app, tx, caller, id, booking);
      booked.open();
      await asked.opened;
    });
    await booked.opened;
    onTransact = asked.open;
    try {
      const answer = request();
      await committed;
      return await answer;
    } finally {
      onTransact = () => {};
      asked.open();
    }
  }

  it('are checked against the post as it is at the write: a post that is just being booked does not slip through', async () => {
    const org = await service.newOrganization();
    const key = await writer(org);
    // Once before, so that the key is cached and is not looked up in a transaction of its own.
    await service.request('GET', '/api/v1/posts', { key });
    const id = await org.addPost();
    assertNeedsPublish(await whileBeingBooked(org, id, () => patch(key, id, { publish_mode: 'inbox' })));
    assert.equal((await readPost(org, id)).publish_mode, 'direct');
    const other = await org.addPost();
    const body = { filename: 'a.png', content_type: 'image/png' };
    const path = `/api/v1/posts/${other}/assets`;
    assertNeedsPublish(
      await whileBeingBooked(org, other, () => service.request('POST', path, { key, body })),
    );
  });
});
