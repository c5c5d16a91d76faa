// Tools that change drafts. A scheduled post goes out by itself, as a person has confirmed it, so it is changed only after
// it was unscheduled, and then confirmed again.
import { Type } from 'typebox';
import { importAsset } from '../../assets/fetch/sources.js';
import { grantUpload } from '../../assets/grant.js';
import { ImportAsset, PendingAsset, RequestUpload, UploadGrant } from '../../assets/schema.js';
import { toTimestamp } from '../../core/clock.js';
import { AppError } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';
import { createPost } from '../../posts/create.js';
import { lockPost, updatePost } from '../../posts/posts.js';
import { presentPost } from '../../posts/present.js';
import { CreatePost, type Post, PostRef, UpdatePost } from '../../posts/schema.js';
import { SEE_STATUS } from './next-steps.js';
import { ADDS, CHANGES, postId, type ToolCall, tool } from './tool.js';

/** Booking a slot has a tool of its own, and a confirmation. */
const { status: _s, scheduled_at: _at, options: _o, ...created } = CreatePost.properties;
const { status: _s2, scheduled_at: _at2, options: _o2, ...changed } = UpdatePost.properties;
const { parts: _parts, ...uploaded } = RequestUpload.properties;

export const postCreate = tool({
  name: 'post_create',
  title: 'Create a draft',
  description:
    'Creates a draft; nothing goes out. Set social_account_id and privacy_level here or later with post_update: both are needed before the post can be published or scheduled. privacy_level has no default: a person chooses it. labels takes ids of labels_list.',
  scopes: ['posts:write'],
  annotations: ADDS,
  input: Type.Object(created, { additionalProperties: false }),
  output: PostRef,
  async run({ app, caller }, input) {
    const post = presentPost(await app.db.transact((tx) => createPost(app, tx, caller, input)));
    return { data: post, next: stepsOfDraft(post) };
  },
});

/** What a new draft needs before it can go out. */
function stepsOfDraft({ post_type, social_account_id, privacy_level }: Post): string {
  const missing = Object.entries({ social_account_id, privacy_level }).flatMap(([name, value]) =>
    value === null ? [name] : [],
  );
  return [
    `Add ${post_type === 'video' ? 'the video' : 'each slide'} with post_media_from_file or post_media_from_url.`,
    ...(missing.length > 0 ? [`Set ${missing.join(' and ')} with post_update.`] : []),
    'Then call post_check.',
  ].join(' ');
}

export const postUpdate = tool({
  name: 'post_update',
  title: 'Change a draft',
  description:
    'Changes a draft: text, account, privacy level, mode, toggles, cover, labels (ids of labels_list, which replace those that the post has). Fields that you leave out stay unchanged; null clears a field. A scheduled post must be unscheduled first.',
  scopes: ['posts:write'],
  annotations: CHANGES,
  input: Type.Object({ post_id: postId, ...changed }, { additionalProperties: false }),
  output: PostRef,
  async run(call, { post_id, ...input }) {
    const { app, caller } = call;
    const post = await app.db.transact(async (tx) => {
      await assertDraft(call, tx, post_id);
      return updatePost(app, tx, caller, post_id, input);
    });
    return { data: presentPost(post) };
  },
});

export const postMediaFromFile = tool({
  name: 'post_media_from_file',
  title: 'Add a file to a draft',
  description:
    'Returns an address that takes one file: send the bytes with an HTTP PUT to upload_url, with exactly the headers in upload_headers, before expires_at. Slides are PNG or JPEG, in the order of these calls; a post of type video has one video. Then call post_get to see whether the file was accepted. Never invent a file or an address.',
  scopes: ['posts:write'],
  annotations: ADDS,
  input: Type.Object({ post_id: postId, ...uploaded }, { additionalProperties: false }),
  output: Type.Object({
    ...UploadGrant.properties,
    upload_method: Type.Literal('PUT'),
    upload_headers: Type.Object({ 'content-type': Type.String() }),
  }),
  async run(call, { post_id, ...input }) {
    const { app, caller } = call;
    const grant = await app.db.transact(async (tx) => {
      await assertDraft(call, tx, post_id);
      return grantUpload(app, tx, caller, post_id, input);
    });
    const upload_headers = { 'content-type': input.content_type };
    return {
      data: { ...grant, upload_method: 'PUT', upload_headers },
      next: 'Nothing is added until the bytes have been sent to upload_url. Then call post_get.',
    };
  },
});

export const postMediaFromUrl = tool({
  name: 'post_media_from_url',
  title: 'Add a file from the web to a draft',
  description:
    'Has Airdate fetch one file from a public https address that a person gave, and add it to the draft: a slide (PNG or JPEG), in the order of these calls, or the video. It arrives after some seconds: call post_get until it is in files, or in rejected with the reason. The post does not go out without it. Never invent an address.',
  scopes: ['posts:write'],
  annotations: ADDS,
  input: Type.Object({ post_id: postId, ...ImportAsset.properties }, { additionalProperties: false }),
  output: PendingAsset,
  async run(call, { post_id, ...input }) {
    const { app, caller } = call;
    const pending = await app.db.transact(async (tx) => {
      await assertDraft(call, tx, post_id);
      return importAsset(app, tx, caller, post_id, input);
    });
    return {
      data: pending,
      next: 'The file is being fetched. Call post_get to see whether it has arrived; repeating this call would add it again.',
    };
  },
});

export const postUnschedule = tool({
  name: 'post_unschedule',
  title: 'Unschedule a post',
  description: 'Makes a scheduled post a draft again, so that it does not go out and can be changed.',
  scopes: ['posts:write'],
  annotations: CHANGES,
  input: Type.Object({ post_id: postId }, { additionalProperties: false }),
  output: PostRef,
  afterProblem: { wrong_state: SEE_STATUS },
  async run({ app, caller }, { post_id }) {
    const { slot, post } = await app.db.transact(async (tx) => {
      const { status, scheduled_at } = await lockPost(tx, caller, post_id);
      return {
        slot: status === 'scheduled' ? scheduled_at : null,
        post: await updatePost(app, tx, caller, post_id, { status: 'draft' }),
      };
    });
    const lost = `The post no longer goes out at ${slot === null ? '' : toTimestamp(slot)}. To restore that, schedule it for this time again.`;
    return { data: presentPost(post), ...(slot === null ? {} : { next: lost }) };
  },
});

async function assertDraft({ caller }: ToolCall, tx: Tx, id: string): Promise<void> {
  const { status } = await lockPost(tx, caller, id);
  if (status === 'scheduled')
    throw new AppError(
      'wrong_state',
      'The post is scheduled, and goes out as a person has confirmed it. Call post_unschedule, change it, and schedule it again.',
    );
  if (status !== 'draft')
    throw new AppError(
      'wrong_state',
      `A post that is ${status} cannot be changed: only drafts can. ${SEE_STATUS}`,
    );
}
