// Shared by the tests of posts: posts in states that no route reaches, and checks of responses.

import assert from 'node:assert/strict';
import type { BodyOf, QueryOf } from '@airdate/sdk';
import { countDispatches } from '../../../src/analytics/dispatch-counters.js';
import type { AttemptRow, PostRow } from '../../../src/db/tables.js';
import { recordPostChanges } from '../../../src/posts/counters.js';
import type { ListPosts } from '../../../src/posts/list/schema.js';
import type { PublishPost } from '../../../src/publishing/schema.js';
import type { Organization, TestService } from './harness.js';
import type { Answer } from './send.js';
import { upload } from './uploads.js';

/** The post object, field by field: the specification's, and ours. */
export const POST_FIELDS = [
  'id',
  'org_id',
  'post_type',
  'title',
  'caption',
  'hashtags',
  'status',
  'scheduled_at',
  'last_slot',
  'posted_at',
  'social_account_id',
  'publish_mode',
  'publish_retries',
  'last_publish_error',
  'in_inbox',
  'privacy_level',
  'disable_comment',
  'disable_duet',
  'disable_stitch',
  'brand_content_toggle',
  'brand_organic_toggle',
  'labels',
  'cover_index',
  'cover_ms',
  'created_at',
  'updated_at',
];

export const STATUSES = ['draft', 'scheduled', 'publishing', 'posted', 'archived'] as const;

export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** Well-formed, and the id of nothing. */
export const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

/** A time as the API writes it. */
export const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** As after an answer of the platform; by default for 12 hours. */
export async function blockAccount(
  service: TestService,
  id: string,
  inMs = 12 * 3_600_000,
  text = 'The account has reached its post limit for 24 hours',
  code = 'spam_risk_too_many_posts',
): Promise<void> {
  const block = {
    blocked_until: service.clock.now() + inMs,
    block_reason: `${text} (${code})`,
    block_reason_code: code,
  };
  await service.app.db.transact((tx) =>
    tx.updateTable('social_accounts').set(block).where('id', '=', id).execute(),
  );
}

/** The columns of a post whose last publish failed. */
export const failedWith = (text: string, code: string) => ({
  last_publish_error: `${text} (${code})`,
  last_publish_error_code: code,
});

/** Changes a row directly, with the counters that the service would have changed too. */
export async function setPost(service: TestService, id: string, fields: Partial<PostRow>): Promise<void> {
  await service.app.db.transact(async (tx) => {
    const before = await tx.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const after = await tx
      .updateTable('posts')
      .set(fields)
      .where('org_id', '=', before.org_id)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordPostChanges(tx, [{ before, after }]);
  });
}

/** An attempt with this outcome, written directly to the database; returns its id. */
export async function addDispatch(
  service: TestService,
  org: Organization,
  postId: string,
  fields: Partial<AttemptRow>,
): Promise<string> {
  const social_account_id = fields.social_account_id ?? (await org.addAccount());
  const now = service.clock.now();
  const row = {
    org_id: org.id,
    id: service.app.newId(),
    post_id: postId,
    social_account_id,
    trigger_kind: 'api',
    attempt: 1,
    mode: 'direct',
    outcome: 'published',
    phase: 'done',
    publish_id: fields.outcome === 'unknown' ? null : `p_pub_url~v2.${service.app.newId()}`,
    social_status: 'PUBLISH_COMPLETE',
    started_at: now,
    snapshot: '{"draft":{"type":"slides"},"lost":"revoke"}',
    ...fields,
  } as const;
  await service.app.db.transact(async (tx) => {
    await tx.insertInto('dispatches').values(row).execute();
    await countDispatches(tx, org.id, [{ after: row.outcome }]);
  });
  return row.id;
}

/** The fields of a slot an hour from now, with a new account unless one is given. */
export async function slot(service: TestService, org: Organization, accountId?: string) {
  return {
    status: 'scheduled' as const,
    scheduled_at: at(service.clock.now() + 3_600_000),
    social_account_id: accountId ?? (await org.addAccount()),
    privacy_level: 'PUBLIC_TO_EVERYONE' as const,
  };
}

/** The same a week from now: no worker looks at the post meanwhile. */
export const farSlot = async (service: TestService, org: Organization, accountId?: string) => ({
  ...(await slot(service, org, accountId)),
  scheduled_at: at(service.clock.now() + 7 * 24 * 3_600_000),
});

/** A post in this status; returns its id. */
export async function addPostIn(
  service: TestService,
  org: Organization,
  status: PostRow['status'],
  fields: Record<string, unknown> = {},
): Promise<string> {
  const id = await org.addPost(fields);
  if (status === 'scheduled') await changePost(org, id, await slot(service, org));
  if (status === 'publishing') await setPost(service, id, { status });
  if (status === 'posted') await setPost(service, id, { status, posted_at: service.clock.now() });
  if (status === 'archived') await archive(org, id);
  return id;
}

/** PATCH that must succeed. */
export async function changePost(org: Organization, id: string, body: BodyOf<'updatePost'>) {
  return org.sdk.posts.update(id, body);
}

export async function readPost(org: Organization, id: string) {
  return org.sdk.posts.get(id);
}

export async function archive(org: Organization, ...ids: string[]) {
  return (await org.sdk.request('PATCH', '/api/v1/posts/batch', { body: { ids, action: 'archive' } })).data;
}

export async function unarchive(org: Organization, ...ids: string[]) {
  return (await org.sdk.request('PATCH', '/api/v1/posts/batch', { body: { ids, action: 'unarchive' } })).data;
}

export async function listPosts(org: Organization, query: ListPosts = {}) {
  return org.sdk.posts.list(query as QueryOf<'listPosts'>);
}

/** The ids of the first page. */
export async function listIds(org: Organization, query: ListPosts = {}): Promise<string[]> {
  return (await listPosts(org, query)).data.map((post) => post.id);
}

export async function analyticsOf(org: Organization) {
  return org.sdk.analytics.summary();
}

/** The response is this problem, in the form of all problems. */
export function assertProblem(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(answer.json.status, status);
  assert.equal(answer.json.code, code);
}

/** The response is 400 and names exactly these fields (or query parameters). */
export function assertRefused(answer: Answer, ...fields: string[]): void {
  assertProblem(answer, 400, 'validation_failed');
  const named = answer.json.errors.map((error: { pointer: string }) => error.pointer);
  assert.deepEqual(named.sort(), fields.map((field) => `/${field}`).sort());
}

/** A draft with everything that publishing needs. */
export async function readyPost(
  org: Organization,
  type: PostRow['post_type'] = 'slides',
  fields: Record<string, unknown> = {},
): Promise<string> {
  const id = await org.addPost({ post_type: type, caption: 'Maps', hashtags: '#maps', ...fields });
  await upload(org, id, type === 'video' ? 'tiny.mp4' : 'slide.png');
  return id;
}

/** Publishes now, for everybody unless `more` says otherwise. */
export const publish = (
  org: Organization,
  id: string,
  accountId: string,
  more: Partial<PublishPost> | Record<string, unknown> = {},
  headers?: Record<string, string>,
): Promise<Answer> =>
  org.call(
    'POST',
    `/api/v1/posts/${id}/publish`,
    { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE', ...more },
    headers,
  );

/** The same, and it must be accepted. Answers with the publish_id. */
export async function published(
  org: Organization,
  id: string,
  accountId: string,
  more: Partial<BodyOf<'publishPost'>> = {},
): Promise<string> {
  const body = {
    social_account_id: accountId,
    privacy_level: 'PUBLIC_TO_EVERYONE' as const,
    ...more,
  };
  return (await org.sdk.posts.publish(id, body)).publish_id;
}

/** Newest first. */
export async function dispatchesOf(org: Organization, id: string) {
  return (await org.sdk.posts.dispatches(id)).data;
}

/** The only attempt that was ever made. */
export async function onlyDispatch(org: Organization, id: string) {
  const [dispatch, ...more] = await dispatchesOf(org, id);
  assert.ok(dispatch, 'there is no attempt');
  assert.deepEqual(more, []);
  return dispatch;
}

export async function publishStatusOf(org: Organization, id: string) {
  return org.sdk.posts.publishStatus(id);
}

export const resolve = (org: Organization, id: string, outcome: string) =>
  org.call('POST', `/api/v1/posts/${id}/resolve`, { outcome });

/** A sentence for people that ends with the code in parentheses. */
export function assertTold(sentence: string | null, code: string): void {
  assert.match(sentence ?? '', new RegExp(`^[A-Z].* \\(${code}\\)$`));
}
