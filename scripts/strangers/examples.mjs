// One example for each operation of the OpenAPI document. operations.mjs sends them in this order, through Prism, with the
// client that hey-api generates, and fails if an operation of the document is neither here nor in EXCEPTIONS.
//
// To add an operation, add a row. The shortest one is
//
//   { operation: 'getThing', send: ({ thingId }) => ({ path: { id: thingId } }) },
//
//   operation   its operationId, which is also the name of the generated function
//   as          who sends it: 'key' (default), 'person', 'visitor' or 'operator'
//   send        the arguments of the generated function: path, query, body. It gets what earlier rows have kept.
//   keep        what later rows need. It gets `data` of the response, and everything kept so far; it returns what to add.
//   expect      the status of the response; any success if absent. The request must fit the document all the same.
//
// An operation may have several rows. Ids come from earlier rows, so put a row after the one that creates its thing, and
// before the one that deletes it.
import { PEOPLE } from './people-examples.mjs';
import { consentTo, inHours, openReceiver, SLIDE, upload } from './world.mjs';

/** Operations that no example is sent to, each with its reason. */
export const EXCEPTIONS = {
  // operationId: 'why a generated client cannot, or need not, send it',
  exportPosts: 'its response is a streamed file, which Prism reads to its end and checks as one JSON text',
  exportDispatches: 'a streamed file, too',
};

const byId = (name) => (kept) => ({ path: { id: kept[name] } });
const ofUpload = ({ videoId, uploadId }) => ({ path: { id: videoId, upload_id: uploadId } });

export const EXAMPLES = [
  { operation: 'getHealth', as: 'visitor', keep: async () => ({ receiver: await openReceiver() }) },
  { operation: 'getReadiness', as: 'visitor' },
  { operation: 'getProblem', as: 'visitor', send: () => ({ path: { code: 'not_found' } }) },
  { operation: 'getProblem', as: 'visitor', send: () => ({ path: { code: 'no_such_code' } }), expect: 404 },
  { operation: 'getMe' },
  { operation: 'updateOwnOrganization', send: () => ({ body: { name: 'Met by strangers' } }) },

  // Accounts
  {
    operation: 'listSocialAccounts',
    keep: ([account]) => ({ accountId: account.id }),
  },
  { operation: 'getSocialAccount', send: byId('accountId') },
  { operation: 'getCreatorOptions', send: byId('accountId') },
  { operation: 'unblockSocialAccount', send: byId('accountId') },
  {
    operation: 'updateSocialAccount',
    send: ({ accountId }) => ({
      path: { id: accountId },
      body: { default_mode: 'direct', default_hashtags: null },
    }),
  },
  {
    operation: 'connectSocialAccount',
    keep: async ({ authorize_url }) => {
      await consentTo(authorize_url, 'passing.guest');
      return {};
    },
  },
  {
    operation: 'listSocialAccounts',
    keep: (accounts) => ({ guestId: accounts.find(({ username }) => username === 'passing.guest').id }),
  },
  { operation: 'disconnectSocialAccount', send: byId('guestId') },

  // Labels and snippets
  {
    operation: 'createLabel',
    send: () => ({ body: { name: 'Strangers', colour: 'teal' } }),
    keep: ({ id }) => ({ labelId: id }),
  },
  { operation: 'getLabel', send: byId('labelId') },
  { operation: 'updateLabel', send: ({ labelId }) => ({ path: { id: labelId }, body: { colour: 'green' } }) },
  { operation: 'listLabels', send: () => ({ query: { per_page: 5 } }) },
  {
    operation: 'createSnippet',
    send: () => ({ body: { kind: 'hashtags', name: 'Outdoors', text: '#maps #hiking' } }),
    keep: ({ id }) => ({ snippetId: id }),
  },
  { operation: 'getSnippet', send: byId('snippetId') },
  {
    operation: 'updateSnippet',
    send: ({ snippetId }) => ({ path: { id: snippetId }, body: { text: '#maps' } }),
  },
  { operation: 'listSnippets', send: () => ({ query: { kind: 'hashtags' } }) },
  { operation: 'deleteSnippet', send: byId('snippetId') },

  // Webhooks, whose receiver is told of the posts below
  {
    operation: 'createWebhook',
    send: ({ receiver }) => ({ body: { url: `${receiver.url}/hook`, types: ['post.created'] } }),
    keep: ({ id }) => ({ webhookId: id }),
  },
  { operation: 'createWebhook', send: () => ({ body: { url: 'https://127.0.0.2/hook' } }), expect: 400 },
  {
    operation: 'updateWebhook',
    send: ({ webhookId }) => ({ path: { id: webhookId }, body: { description: 'Strangers', types: null } }),
  },
  { operation: 'getWebhook', send: byId('webhookId') },
  { operation: 'listWebhooks' },
  { operation: 'rotateWebhookSecret', send: byId('webhookId') },
  { operation: 'testWebhook', send: byId('webhookId') },

  // Posts
  {
    operation: 'createPost',
    send: () => ({ body: { title: 'Five ways to fold a map', caption: 'Number four 🗺️', hashtags: '#maps' } }),
    keep: ({ id }) => ({ postId: id }),
  },
  { operation: 'getPost', send: byId('postId') },
  {
    operation: 'getPost',
    send: () => ({ path: { id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e55' } }),
    expect: 404,
  },
  {
    operation: 'updatePost',
    send: ({ postId, labelId }) => ({ path: { id: postId }, body: { caption: null, labels: [labelId] } }),
  },

  // Assets
  {
    operation: 'requestUpload',
    send: ({ postId }) => ({
      path: { id: postId },
      body: { filename: 'map.jpg', content_type: 'image/jpeg', content_length: SLIDE.length },
    }),
    keep: async (grant) => {
      await upload(grant);
      return { objectKey: grant.object_key };
    },
  },
  {
    operation: 'completeUpload',
    send: ({ postId, objectKey }) => ({ path: { id: postId }, body: { object_key: objectKey } }),
  },
  {
    operation: 'orderAssets',
    send: ({ postId, objectKey }) => ({ path: { id: postId }, body: { order: [objectKey] } }),
  },
  { operation: 'listAssets', send: byId('postId') },
  { operation: 'duplicatePost', send: byId('postId'), keep: ({ id }) => ({ copyId: id }) },
  {
    operation: 'listAssets',
    send: byId('copyId'),
    keep: ([asset]) => ({ copyKey: asset.object_key }),
  },
  {
    operation: 'removeAsset',
    send: ({ copyId, copyKey }) => ({ path: { id: copyId }, query: { object_key: copyKey } }),
  },

  {
    operation: 'importAsset',
    send: ({ copyId, receiver }) => ({ path: { id: copyId }, body: { url: `${receiver.url}/slide.jpg` } }),
  },
  {
    operation: 'importPosts',
    send: () => ({ body: { csv: 'title,status\n,draft\n', dry_run: true } }),
  },
  {
    operation: 'importPosts',
    send: () => ({ body: { csv: 'title,post_type\nFolding a map on a train,video\n' } }),
    keep: ({ ids: [videoId] }) => ({ videoId }),
  },
  {
    operation: 'requestUpload',
    send: ({ videoId }) => ({
      path: { id: videoId },
      body: { filename: 'train.mp4', content_type: 'video/mp4', content_length: 70_000_000, parts: true },
    }),
    keep: ({ upload_id }) => ({ uploadId: upload_id }),
  },
  { operation: 'getUpload', send: ofUpload },
  // None of its parts has arrived.
  { operation: 'completeParts', send: ofUpload, expect: 409 },
  { operation: 'giveUpUpload', send: ofUpload },

  // Publishing
  { operation: 'preflightPost', send: byId('postId') },
  { operation: 'getPublishStatus', send: byId('postId'), expect: 404 },
  {
    operation: 'publishPost',
    send: ({ postId, accountId }) => ({
      path: { id: postId },
      body: { social_account_id: accountId, privacy_level: 'SELF_ONLY' },
    }),
  },
  { operation: 'getPublishStatus', send: byId('postId') },
  // Its outcome is known, so there is nothing to resolve.
  {
    operation: 'resolvePost',
    send: ({ postId }) => ({ path: { id: postId }, body: { outcome: 'posted' } }),
    expect: 409,
  },
  {
    operation: 'listDispatches',
    send: ({ accountId }) => ({ query: { per_page: 2, social_account_id: accountId, trigger: 'api' } }),
    keep: ([{ id }]) => ({ dispatchId: id }),
  },
  { operation: 'getDispatch', send: byId('dispatchId') },
  {
    operation: 'listPostDispatches',
    send: byId('postId'),
    // The deliveries are there when the receiver has the first one.
    keep: async (_dispatches, { receiver }) => {
      await receiver.firstDelivery;
      return {};
    },
  },
  {
    operation: 'bulkPosts',
    send: ({ copyId, accountId }) => ({
      body: {
        action: 'schedule',
        ids: [copyId],
        scheduled_at: [inHours(50)],
        social_account_id: accountId,
        privacy_level: 'SELF_ONLY',
      },
    }),
  },
  {
    operation: 'listPosts',
    send: () => ({ query: { status: 'scheduled', sort: 'scheduled_at', include: 'cover,readiness' } }),
  },
  { operation: 'listPosts', send: () => ({ query: { q: 'map', page: 1, per_page: 10 } }) },
  { operation: 'listPosts', send: () => ({ query: { cursor: '', per_page: 1, sort: '-updated_at' } }) },
  { operation: 'countPosts' },
  { operation: 'listAttention' },
  { operation: 'bulkPosts', send: ({ copyId }) => ({ body: { action: 'unschedule', ids: [copyId] } }) },
  { operation: 'batchPosts', send: ({ copyId }) => ({ body: { ids: [copyId], action: 'archive' } }) },
  { operation: 'deletePost', send: byId('copyId') },
  { operation: 'deleteLabel', send: byId('labelId') },

  {
    operation: 'listWebhookDeliveries',
    send: byId('webhookId'),
    keep: ([{ id }]) => ({ deliveryId: id }),
  },
  {
    operation: 'replayWebhookDelivery',
    send: ({ webhookId, deliveryId }) => ({ path: { id: webhookId, delivery_id: deliveryId } }),
  },
  {
    operation: 'recoverWebhook',
    send: ({ webhookId }) => ({ path: { id: webhookId }, body: { since: inHours(-1) } }),
  },
  {
    operation: 'deleteWebhook',
    send: byId('webhookId'),
    keep: async (_nothing, { receiver }) => {
      await receiver.close();
      return {};
    },
  },

  // What happened
  { operation: 'listEvents', send: () => ({ query: { limit: 10 } }) },
  { operation: 'listEvents', send: () => ({ query: { after: 'evt_zzzzzzzzz' } }), expect: 410 },
  { operation: 'listAudit', send: () => ({ query: { per_page: 20 } }) },
  { operation: 'getAnalytics' },
  { operation: 'getTimeline', send: () => ({ query: { from: inHours(-48), to: inHours(0) } }) },
  {
    operation: 'getTimeline',
    send: () => ({ query: { from: '2026-11-01', to: '2026-11-07', time_zone: 'Europe/Berlin' } }),
  },

  // Keys
  {
    operation: 'createKey',
    send: () => ({ body: { name: 'For a while', scopes: ['posts:read'], expires_at: inHours(24) } }),
    keep: ({ id }) => ({ keyId: id }),
  },
  { operation: 'getKey', send: byId('keyId') },
  { operation: 'updateKey', send: ({ keyId }) => ({ path: { id: keyId }, body: { name: 'For a day' } }) },
  { operation: 'listKeys' },
  { operation: 'revokeKey', send: byId('keyId') },

  ...PEOPLE,
];
