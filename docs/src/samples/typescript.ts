// A call with the SDK. What only a page of Airdate may ask is asked with fetch: the SDK has an API key.
import { ANY_ADDRESS } from '@airdate/server/src/http/own-address.js';
import { type Call, urlOf } from './call.js';
import { literal, type Style } from './literal.js';
import { type OwnId, ownIdsOf, withNames } from './own-ids.js';

/**
 * The method of each operation. It takes the names in the path, then the body or the query, or the field of them that is named here.
 * An operation that is missing is shown with `request()`.
 */
const METHODS: Readonly<Record<string, string | readonly [method: string, field: string]>> = {
  listPosts: 'posts.list',
  createPost: 'posts.create',
  countPosts: 'posts.counts',
  exportPosts: 'posts.export',
  batchPosts: ['posts.archive', 'ids'],
  bulkPosts: 'posts.bulk',
  getPost: 'posts.get',
  updatePost: 'posts.update',
  deletePost: 'posts.delete',
  duplicatePost: 'posts.duplicate',
  importPosts: 'posts.import',
  listAttention: 'posts.attention',
  publishPost: 'posts.publish',
  getPublishStatus: 'posts.publishStatus',
  preflightPost: 'posts.preflight',
  resolvePost: ['posts.resolve', 'outcome'],
  listPostDispatches: 'posts.dispatches',
  requestUpload: 'posts.assets.requestUpload',
  listAssets: 'posts.assets.list',
  orderAssets: ['posts.assets.order', 'order'],
  removeAsset: ['posts.assets.remove', 'object_key'],
  completeUpload: ['posts.assets.complete', 'object_key'],
  giveUpUpload: 'posts.assets.abort',
  importAsset: 'posts.assets.import',
  listLabels: 'labels.list',
  getLabel: 'labels.get',
  createLabel: 'labels.create',
  updateLabel: 'labels.update',
  deleteLabel: 'labels.delete',
  listSnippets: 'snippets.list',
  getSnippet: 'snippets.get',
  createSnippet: 'snippets.create',
  updateSnippet: 'snippets.update',
  deleteSnippet: 'snippets.delete',
  listDispatches: 'dispatches.list',
  exportDispatches: 'dispatches.export',
  getDispatch: 'dispatches.get',
  getAnalytics: 'analytics.summary',
  getTimeline: 'analytics.timeline',
  listEvents: 'events.page',
  listWebhooks: 'webhooks.list',
  createWebhook: 'webhooks.create',
  getWebhook: 'webhooks.get',
  updateWebhook: 'webhooks.update',
  deleteWebhook: 'webhooks.delete',
  rotateWebhookSecret: 'webhooks.rotate',
  testWebhook: 'webhooks.test',
  recoverWebhook: 'webhooks.recover',
  listWebhookDeliveries: 'webhooks.deliveries',
  replayWebhookDelivery: 'webhooks.replay',
  listAudit: 'organization.audit',
  listSocialAccounts: 'accounts.list',
  connectSocialAccount: 'accounts.connect',
  getSocialAccount: 'accounts.get',
  updateSocialAccount: 'accounts.update',
  disconnectSocialAccount: 'accounts.disconnect',
  unblockSocialAccount: 'accounts.unblock',
  getCreatorOptions: 'accounts.creatorOptions',
  listKeys: 'keys.list',
  createKey: 'keys.create',
  getKey: 'keys.get',
  updateKey: 'keys.update',
  revokeKey: 'keys.revoke',
  getMe: 'organization.me',
  updateOwnOrganization: 'organization.update',
  listMembers: 'members.list',
  getMember: 'members.get',
  updateMember: 'members.update',
  removeMember: 'members.remove',
  listInvitations: 'members.invitations',
  getInvitation: 'members.invitation',
  createInvitation: 'members.invite',
  withdrawInvitation: 'members.withdraw',
  listOrganizations: 'admin.organizations',
  getOrganization: 'admin.organization',
  createOrganization: 'admin.createOrganization',
  updateOrganization: 'admin.updateOrganization',
  createOrganizationKey: 'admin.createKey',
  getOrganizationKey: 'admin.key',
  releaseSafeMode: 'admin.release',
};

/** The method for an operation, and undefined where there is only `request()`. */
export function methodFor(operationId: string): string | undefined {
  const known = METHODS[operationId];
  return typeof known === 'object' ? known[0] : known;
}

const STYLE: Style = {
  indent: '  ',
  pad: ' ',
  text: (value) =>
    `'${JSON.stringify(value).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`,
  name: (value) => (/^[a-z_$][\w$]*$/i.test(value) ? value : STYLE.text(value)),
  constants: { true: 'true', false: 'false', null: 'null' },
};

const js = (value: unknown) => literal(value, STYLE);

const nameOf = ({ name }: OwnId) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const declared = (ids: OwnId[]): string[] =>
  ids.length === 0 ? [] : [...ids.map((id) => `const ${nameOf(id)} = '${id.value}'; // ${id.meaning}`), ''];

const namedIn = (text: string, ids: OwnId[]): string =>
  withNames(text, ids, (id) => [`'${id.value}'`, nameOf(id)]);

export function typescript(call: Call): string {
  const { credentials, returns } = call;
  const ids = ownIdsOf(call);
  if (credentials === 'session' || credentials === 'page') return withFetch(call);
  const key = credentials === 'operator' ? ', apiKey: process.env.ADMIN_TOKEN' : '';
  return [
    `import { Airdate } from '@airdate/sdk';`,
    '',
    ...declared(ids),
    ...(credentials === 'key' ? ['// It reads the API key from the variable AIRDATE_API_KEY.'] : []),
    `const airdate = new Airdate({ url: '${ANY_ADDRESS}'${key} });`,
    '',
    ...withResult(returns, namedIn(expressionOf(call), ids)),
  ].join('\n');
}

function withResult(returns: Call['returns'], expression: string): string[] {
  if (returns === 'nothing') return [`await ${expression};`];
  if (returns === 'text') return [`const file = await ${expression};`, 'console.log(await file.text());'];
  if (returns === 'list') return [`const page = await ${expression};`, 'console.log(page);'];
  return [`const result = await ${expression};`, 'console.log(result);'];
}

function expressionOf({ operationId, method, template, path, query, body }: Call): string {
  const known = METHODS[operationId];
  const given = body ?? (Object.keys(query).length > 0 ? query : undefined);
  if (known === undefined) {
    const input = {
      ...(Object.keys(path).length > 0 ? { path } : {}),
      ...(Object.keys(query).length > 0 ? { query } : {}),
      ...(body === undefined ? {} : { body }),
    };
    const last = Object.keys(input).length > 0 ? `, ${js(input)}` : '';
    return `airdate.request('${method}', '${template}'${last})`;
  }
  const [name, field] = typeof known === 'string' ? [known] : known;
  const last = field === undefined ? given : Reflect.get(Object(given), field);
  const values = [...Object.values(path), ...(last === undefined ? [] : [last])];
  return `airdate.${name}(${values.map(js).join(', ')})`;
}

function withFetch(call: Call): string {
  const { method, body, credentials, returns } = call;
  const ids = ownIdsOf(call);
  const address = urlOf(call);
  const named = withNames(address, ids, (id) => [id.value, `$\{${nameOf(id)}}`]);
  const headers = [
    ...(credentials === 'session' ? ["    cookie: process.env.AIRDATE_COOKIE ?? '',"] : []),
    "    'x-airdate': 'dashboard',",
    `    origin: '${ANY_ADDRESS}',`,
    ...(body === undefined ? [] : ["    'content-type': 'application/json',"]),
  ];
  return [
    ...declared(ids),
    `const response = await fetch(${named === address ? `'${address}'` : `\`${named}\``}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...headers,
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${namedIn(literal(body, STYLE, '  '), ids)}),`]),
    '});',
    returns === 'nothing' ? 'console.log(response.status);' : 'console.log(await response.json());',
  ].join('\n');
}
