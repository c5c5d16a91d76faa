// What the samples of the reference act on: an organization of its own for each, with the things that its ids stand for.
import { createEntryLink } from '../../../src/identity/auth/entry-links.js';
import { declareRestored } from '../../../src/operator/safe-mode-commands.js';
import { until } from '../../support/runner/until.js';
import { addFactor, codeNow, ticketOf } from '../../support/service/factors.js';
import type { Organization, TestService } from '../../support/service/harness.js';
import { beginUpload, bigVideo, MIB, putParts } from '../../support/service/part-uploads.js';
import {
  anEmail,
  anotherSession,
  newPerson,
  type TestPerson,
  tokenIn,
} from '../../support/service/people.js';
import { addDispatch, addPostIn, published, readyPost } from '../../support/service/posts.js';
import { upload } from '../../support/service/uploads.js';

/** What the document's examples call a thing, and a thing that is there. */
export type Cast = Record<string, string>;

export interface Scene {
  service: TestService;
  org: Organization;
  owner: TestPerson;
  /** An example of the document, by its place among the schemas: `Post.id`. */
  literal(place: string): string;
}

type Make = (scene: Scene) => Promise<string>;

const accounts = new WeakMap<Organization, Promise<string>>();
const account: Make = ({ org }) => {
  const made = accounts.get(org) ?? org.connectAccount();
  accounts.set(org, made);
  return made;
};
const webhook: Make = async ({ org }) =>
  (await org.sdk.webhooks.create({ url: 'https://example.com/hooks/airdate' })).id;

/** Things of each kind, where an operation needs no certain one. */
const THINGS: Record<string, Make> = {
  'Post.id': ({ org }) => org.addPost(),
  'SocialAccount.id': account,
  'Label.id': async ({ org }) => (await org.sdk.labels.create({ name: 'Alps', colour: 'teal' })).id,
  'Snippet.id': async ({ org }) =>
    (await org.sdk.snippets.create({ kind: 'hashtags', name: 'Alps', text: '#alps' })).id,
  'Webhook.id': webhook,
  'ApiKey.id': async ({ org }) => (await org.sdk.keys.create({ name: 'Nightly' })).id,
  'Member.id': async ({ service, org }) => (await newPerson(service, org.id, 'viewer')).id,
  'Invitation.id': async ({ org }) => (await org.sdk.members.invite({ role: 'editor' })).id,
  'Session.id': async ({ service, owner }) => (await anotherSession(service, owner)).id,
  'Factor.id': ({ service, owner }) => addFactor(service, owner),
  'ManagedOrganization.id': async ({ org }) => org.id,
  'Dispatch.id': async (scene) => {
    const id = await publishedPost(scene);
    return ((await scene.org.sdk.posts.dispatches(id)).data[0] as { id: string }).id;
  },
};

async function publishedPost(scene: Scene): Promise<string> {
  const id = await readyPost(scene.org);
  await published(scene.org, id, await account(scene), { privacy_level: 'SELF_ONLY' });
  return id;
}

const onPublished = async (scene: Scene): Promise<Cast> => ({
  [scene.literal('Post.id')]: await publishedPost(scene),
});

const onFile = async (scene: Scene): Promise<Cast> => {
  const id = await scene.org.addPost();
  const { object_key } = await upload(scene.org, id, 'slide.png');
  return { [scene.literal('Asset.object_key')]: object_key, [scene.literal('Post.id')]: id };
};

const inParts =
  ({ areSent = false } = {}) =>
  async ({ org, literal }: Scene): Promise<Cast> => {
    const video = await bigVideo(2 * MIB);
    const id = await org.addPost({ post_type: 'video' });
    const grant = await beginUpload(org, id, video.length);
    if (areSent) await putParts(grant, video);
    return { [literal('Upload.upload_id')]: grant.upload_id, [literal('Post.id')]: id };
  };

const withEmail = async (): Promise<Cast> => ({
  'ada@example.com': anEmail(),
  'grace@example.com': anEmail(),
});

const invited = async (scene: Scene): Promise<Cast> => {
  const { url } = await scene.org.sdk.members.invite({ role: 'editor' });
  return { ...(await withEmail()), [TOKEN]: tokenIn(url) };
};

/** As it stands in the examples of bodies. */
const TOKEN = 'kS3vX9m2bQe7TnYw1LrZ5cHgUd8oJpFa0xVtRi4sMBE';
const CODE = '287082';

/** What certain operations need besides. */
export const SCENES: Record<string, (scene: Scene) => Promise<Cast>> = {
  publishPost: async (scene) => ({ [scene.literal('Post.id')]: await readyPost(scene.org) }),
  getPublishStatus: onPublished,
  listPostDispatches: onPublished,
  resolvePost: async (scene) => {
    const { service, org } = scene;
    const id = await addPostIn(service, org, 'publishing');
    await addDispatch(service, org, id, { outcome: 'unknown' });
    return { [scene.literal('Post.id')]: id };
  },
  orderAssets: onFile,
  completeUpload: onFile,
  removeAsset: onFile,
  getUpload: inParts(),
  giveUpUpload: inParts(),
  completeParts: inParts({ areSent: true }),
  replayWebhookDelivery: async (scene) => {
    const { org, literal } = scene;
    const id = await webhook(scene);
    await org.addPost();
    const cast: Cast = { [literal('Webhook.id')]: id };
    await until('a delivery is on record', async () => {
      const [delivery] = (await org.sdk.webhooks.deliveries(id)).data;
      if (delivery) cast[literal('WebhookDelivery.id')] = delivery.id;
      return delivery !== undefined;
    });
    return cast;
  },
  readInvitation: invited,
  acceptInvitation: invited,
  signUp: withEmail,
  signIn: async ({ service, org }) => ({
    'ada@example.com': (await newPerson(service, org.id, 'editor', { withPassword: true })).email,
  }),
  signInWithCode: async ({ service, org }) => {
    const person = await newPerson(service, org.id, 'editor', { withPassword: true });
    await addFactor(service, person);
    return { [TOKEN]: await ticketOf(person), [CODE]: codeNow(service.app) };
  },
  confirmFactor: async ({ service, owner, literal }) => ({
    [literal('Factor.id')]: await addFactor(service, owner, { isConfirmed: false }),
    [CODE]: codeNow(service.app),
  }),
  createRecoveryCodes: async ({ service, owner }) => {
    await addFactor(service, owner);
    return {};
  },
  enter: async ({ service, org, owner }) => ({
    [TOKEN]: tokenIn(
      await service.app.db.transact((tx) =>
        createEntryLink(service.app, tx, { org_id: org.id, id: owner.id }),
      ),
    ),
  }),
  releaseSafeMode: async ({ service }) => {
    await declareRestored(service.app, null);
    return {};
  },
};

/** The text with what is there in place of the document's examples; each is made once, where the text mentions it. */
export async function perform(operation: string, text: string, scene: Scene): Promise<string> {
  const cast = (await SCENES[operation]?.(scene)) ?? {};
  for (const [place, make] of Object.entries(THINGS)) {
    const literal = scene.literal(place);
    if (text.includes(literal) && !(literal in cast)) cast[literal] = await make(scene);
  }
  // Longer ones first: the key of a file contains the id of its post.
  return Object.entries(cast)
    .sort(([a], [b]) => b.length - a.length)
    .reduce((changed, [literal, real]) => changed.replaceAll(literal, real), text);
}
