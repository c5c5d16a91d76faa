// The API as a client sees it: every operation of the running service's OpenAPI document, and values for its parameters.
// A new route needs no change here; a new kind of resource, or a new way to name one, needs a row below.
import { readFileSync } from 'node:fs';
import { expandComponents } from '../../../src/http/openapi-components.js';
import { createEntryLink } from '../../../src/identity/auth/entry-links.js';
import { createResetLink } from '../../../src/identity/auth/reset.js';
import { addFactor, codeNow, removeFactors, ticketOf } from './factors.js';
import { ADMIN_TOKEN, type Organization, type TestService } from './harness.js';
import { anEmail, anotherSession, newPerson, PASSWORD, type TestPerson, tokenIn } from './people.js';
import { addDispatch, blockAccount, setPost } from './posts.js';
import { addDelivery } from './webhooks.js';

/** Valid requests that are still refused: they need a certain state of the whole installation. */
export const REFUSED: Readonly<Record<string, number>> = { 'POST /api/admin/v1/release': 409 };

const SLIDE = new URL('../../../../test/media/slide.png', import.meta.url);
const VIDEO = new URL('../../../../test/media/tiny.mp4', import.meta.url);

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  example?: unknown;
  examples?: unknown[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface MediaType {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface OperationObject {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, MediaType> }>;
}

export interface Document {
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, { post: OperationObject }>;
  components: { schemas: Record<string, Schema> };
}

export interface Operation extends OperationObject {
  method: string;
  /** As in the document: `/api/v1/posts/{id}`. */
  path: string;
  /** As in the table of access: `GET /api/v1/posts/:id`. */
  route: string;
  /** A key may do what a session may, except for the person's own routes. */
  opensWith: 'key' | 'session' | 'operator' | 'nothing';
  body: { schema: Schema; example: unknown } | null;
}

export async function readDocument(service: TestService): Promise<Document> {
  return (await service.request('GET', '/openapi.json')).json as Document;
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(expandComponents(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      const method = name.toUpperCase();
      const media = operation.requestBody?.content['application/json'];
      return {
        ...operation,
        method,
        path,
        route: `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        opensWith: opensWith(operation),
        body: media ? { schema: media.schema, example: exampleOf(operation, media) } : null,
      };
    }),
  );
}

function opensWith({ security }: OperationObject): Operation['opensWith'] {
  if (security === undefined) return 'key';
  if (security.length === 0) return 'nothing';
  if (security.some((scheme) => 'apiKey' in scheme)) return 'key';
  return security.some((scheme) => 'operator' in scheme) ? 'operator' : 'session';
}

function exampleOf(operation: OperationObject, { example, examples, schema }: MediaType): unknown {
  const found = example ?? Object.values(examples ?? {})[0]?.value ?? schema.examples?.[0];
  if (found === undefined)
    throw new Error(`${operation.operationId} takes a body: give its schema an entry in "examples"`);
  return found;
}

type Make = (
  org: Organization,
  service: TestService,
  /** The operation that will use it, if that needs a special one. */
  operationId: string,
  /** The other ids in the same request. */
  beside: ReadonlyMap<Slot, string>,
) => Promise<string>;

/** How to create one of each kind of resource. */
const KINDS: Record<string, Make> = {
  async posts(org, service, operationId) {
    const id = await org.addPost(OF_UPLOADS.test(operationId) ? { post_type: 'video' } : {});
    if (operationId === 'publishPost') await uploadSlide(org, id);
    if (operationId === 'getPublishStatus') await addDispatch(service, org, id, { outcome: 'published' });
    if (operationId === 'resolvePost') {
      await addDispatch(service, org, id, { outcome: 'unknown' });
      await setPost(service, id, { status: 'publishing' });
    }
    return id;
  },
  /** A file that was uploaded to the post of the same request, or to another one if that is not ours. */
  async objects(org, _service, _operationId, beside) {
    const post = [...beside].find(([slot]) => slot.kind === 'posts')?.[1];
    return (await uploadSlide(org, post ?? '')) ?? (await uploadSlide(org, await org.addPost())) ?? '';
  },
  /** An upload in parts to the post of the same request, or to another one if that is not ours. All its parts have arrived. */
  async uploads(org, _service, _operationId, beside) {
    const post = [...beside].find(([slot]) => slot.kind === 'posts')?.[1];
    const another = () => org.addPost({ post_type: 'video' });
    return (await sendParts(org, post ?? '')) ?? (await sendParts(org, await another())) ?? '';
  },
  async 'social-accounts'(org, service, operationId) {
    if (['getCreatorOptions', 'publishPost'].includes(operationId)) return org.connectAccount();
    const id = await org.addAccount();
    if (operationId === 'unblockSocialAccount') await blockAccount(service, id);
    return id;
  },
  /** Of the organization of the same request, or of ours. */
  async keys(org, service, _operationId, beside) {
    const body = { name: 'One to lose' };
    const owner = [...beside].find(([slot]) => slot.kind === 'organizations')?.[1] ?? '';
    const path = `/api/admin/v1/organizations/${encodeURIComponent(owner)}/keys`;
    const theirs = owner && (await service.request('POST', path, { key: ADMIN_TOKEN, body }));
    const { json } = theirs && theirs.status === 201 ? theirs : await org.call('POST', '/api/v1/keys', body);
    return json.data.id;
  },
  dispatches: async (org, service) => addDispatch(service, org, await org.addPost(), {}),
  labels: (org, service) => oneOfFew(org, 'labels', { name: service.app.newId(), colour: 'red' }),
  snippets: (org, service) =>
    oneOfFew(org, 'snippets', { kind: 'caption', name: service.app.newId(), text: 'See you next week.' }),
  async webhooks(org) {
    // Room is left for a request that creates one itself.
    const { data, pagination } = (await org.call('GET', '/api/v1/webhooks?per_page=100')).json;
    if (pagination.total > 10) await org.call('DELETE', `/api/v1/webhooks/${data.at(-1).id}`);
    // Of a type that does not occur: sending every event to each took half of the time.
    return oneOfFew(org, 'webhooks', { url: 'https://hooks.example.com/', types: ['webhook.disabled'] });
  },
  /** Of the webhook of the same request, or of another one if that is not ours. */
  async deliveries(org, service, _operationId, beside) {
    const path = [...beside].find(([slot]) => slot.kind === 'webhooks')?.[1] ?? '';
    const isOurs = (await org.call('GET', `/api/v1/webhooks/${encodeURIComponent(path)}`)).status === 200;
    const webhook = isOurs ? path : await createOne('webhooks', org, service);
    return addDelivery(service, org, webhook.toLowerCase());
  },
  organizations: async (_org, service) => (await service.newOrganization()).id,
  members: async (org, service) => (await newPerson(service, org.id, 'editor')).id,
  async invitations(org) {
    const { json } = await org.call('POST', '/api/v1/invitations', { role: 'editor' });
    return json.data.id;
  },
  // Of the audit log: any person or key has acted, and anything was acted on.
  actors: async (org, service) => (await ownerOf(org, service)).id,
  targets: (org) => org.addPost(),
  async factors(org, service, operationId) {
    const owner = await ownerOf(org, service);
    return addFactor(service, owner, { isConfirmed: operationId === 'removeFactor' });
  },
  sessions: async (org, service) => (await anotherSession(service, await ownerOf(org, service))).id,
};

/** A resource whose number an organization has a limit for: the first one is removed if the limit is reached. */
async function oneOfFew(org: Organization, kind: string, body: object): Promise<string> {
  const path = `/api/v1/${kind}`;
  const created = await org.call('POST', path, body);
  if (created.status === 201) return created.json.data.id;
  if (created.json.code !== 'limit_reached') throw new Error(`${path} answered ${created.text}`);
  const [first] = (await org.call('GET', path)).json.data;
  await org.call('DELETE', `${path}/${first.id}`);
  return oneOfFew(org, kind, body);
}

const owners = new WeakMap<Organization, Promise<TestPerson>>();

/** A member who exists from the first to the last test, without a password. */
function ownerOf(org: Organization, service: TestService): Promise<TestPerson> {
  const owner = owners.get(org) ?? newPerson(service, org.id, 'owner');
  owners.set(org, owner);
  return owner;
}

/** The headers of a session of the organization's owner; a new one each time, because operations may end it. */
export async function sessionHeaders(
  org: Organization,
  service: TestService,
): Promise<Record<string, string>> {
  const owner = await ownerOf(org, service);
  await service.app.db.transact((tx) =>
    tx.updateTable('people').set({ password_hash: null }).where('id', '=', owner.id).execute(),
  );
  return (await anotherSession(service, owner)).browser.headers;
}

/** Operations that are authorized by their body, each with a valid one; null: its person needs something, and it has no body. */
const OPENED_BY_BODY: Record<string, (org: Organization, service: TestService) => Promise<object | null>> = {
  signUp: async () => ({ email: anEmail() }),
  async signIn(org, service) {
    const { email } = await newPerson(service, org.id, 'viewer', { withPassword: true });
    return { email, password: PASSWORD };
  },
  async confirm(org, service) {
    const { id } = await ownerOf(org, service);
    await removeFactors(service, { id });
    const password_hash = await service.app.passwords.hash(PASSWORD);
    await service.app.db.transact((tx) =>
      tx.updateTable('people').set({ password_hash }).where('id', '=', id).execute(),
    );
    return { password: PASSWORD };
  },
  async enter(org, service) {
    const { id } = await newPerson(service, org.id, 'viewer');
    const link = service.app.db.transact((tx) => createEntryLink(service.app, tx, { org_id: org.id, id }));
    return { token: tokenIn(await link) };
  },
  async resetPassword(org, service) {
    const person = { org_id: org.id, id: (await newPerson(service, org.id, 'viewer')).id };
    const link = service.app.db.transact((tx) => createResetLink(service.app, tx, person, null));
    return { token: tokenIn((await link).url) };
  },
  async signInWithCode(org, service) {
    const person = await newPerson(service, org.id, 'viewer', { withPassword: true });
    await addFactor(service, person);
    return { ticket: await ticketOf(person), code: codeNow(service.app) };
  },
  async createRecoveryCodes(org, service) {
    await addFactor(service, await ownerOf(org, service));
    return null;
  },
  confirmFactor: async (_org, service) => ({ code: codeNow(service.app) }),
  readInvitation: async (org) => ({ token: await invitationToken(org) }),
  acceptInvitation: async (org) => ({ token: await invitationToken(org), email: anEmail() }),
};

export async function invitationToken(org: Organization): Promise<string> {
  const { json } = await org.call('POST', '/api/v1/invitations', { role: 'viewer' });
  return tokenIn(json.data.url);
}

export async function openedByBody(
  { operationId = '' }: Operation,
  body: unknown,
  org: Organization,
  service: TestService,
): Promise<unknown> {
  const fields = await OPENED_BY_BODY[operationId]?.(org, service);
  return fields ? { ...(body as object), ...fields } : body;
}

/** The key of the slide; null if the post takes none. */
async function uploadSlide(org: Organization, postId: string): Promise<string | null> {
  const asked = { filename: 'slide.png', content_type: 'image/png' };
  const grant = await org.call('POST', `/api/v1/posts/${encodeURIComponent(postId)}/assets`, asked);
  if (grant.status !== 200) return null;
  const { upload_url, object_key } = grant.json;
  const { status } = await fetch(upload_url, {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: readFileSync(SLIDE),
  });
  if (status !== 200) throw new Error(`the upload answered ${status}`);
  return object_key;
}

const OF_UPLOADS = /^(getUpload|completeParts|giveUpUpload)$/;

/** The id of the upload; null if the post takes none. */
async function sendParts(org: Organization, postId: string): Promise<string | null> {
  const bytes = readFileSync(VIDEO);
  const asked = { filename: 'a.mp4', content_type: 'video/mp4', content_length: bytes.length, parts: true };
  const grant = await org.call('POST', `/api/v1/posts/${encodeURIComponent(postId)}/assets`, asked);
  if (grant.status !== 200) return null;
  const { status } = await fetch(grant.json.parts[0].upload_url, { method: 'PUT', body: bytes });
  if (status !== 200) throw new Error(`the upload answered ${status}`);
  return grant.json.upload_id;
}

/** Path parameters that name no resource of an organization, with a value that exists. */
const NO_RESOURCE: Record<string, string> = { '/problems/{code}': 'not_found' };

/** A place in a request that takes an id. */
export interface Slot {
  in: 'path' | 'query' | 'body';
  name: string;
  kind: string;
  isList: boolean;
  /** Any text can be such an id, so none is malformed. */
  isText: boolean;
}

/** Every place of an operation that names a resource: by format, or by a name that implies an id. */
export function slotsOf(operation: Operation): Slot[] {
  const slots: Slot[] = [];
  for (const { in: place, name, schema } of operation.parameters ?? [])
    if (place === 'path') {
      if (!(operation.path in NO_RESOURCE))
        slots.push({ in: 'path', name, kind: kindInPath(operation, name), isList: false, isText: true });
    } else if (place === 'query' && isId(name, schema))
      slots.push({
        in: 'query',
        name,
        kind: kindByName(operation, name),
        isList: false,
        isText: isText(name),
      });
  for (const [name, schema] of Object.entries(operation.body?.schema.properties ?? {}))
    if (isId(name, schema.items ?? schema))
      slots.push({
        in: 'body',
        name,
        kind: kindByName(operation, name),
        isList: schema.items !== undefined,
        isText: isText(name),
      });
    else if (JSON.stringify(schema).includes('"format":"uuid"'))
      throw new Error(`${operation.route} has an id deep inside ${name}: teach slotsOf to reach it`);
  // The resource of the path is created first: the others may belong to it.
  return slots.sort((a, b) => Number(b.in === 'path') - Number(a.in === 'path'));
}

const isId = (name: string, schema: Schema) =>
  schema.format === 'uuid' || isText(name) || /(^|_)(id|ids|key)$/.test(name);

/** Keys of objects, alone or in their order. */
const isText = (name: string) => name === 'object_key' || name === 'order';

/** `/posts/{id}` names one of the posts. */
function kindInPath(operation: Operation, name: string): string {
  const parts = operation.path.split('/');
  return knownKind(operation, name, parts[parts.indexOf(`{${name}}`) - 1] as string);
}

/** `social_account_id` is one of the social-accounts; a bare `id` or `ids` is of the collection in the path. */
function kindByName(operation: Operation, name: string): string {
  if (isText(name)) return 'objects';
  // `label` and `labels` are ids without saying so.
  const plural = name.endsWith('s') ? name : `${name}s`;
  if (plural in KINDS) return plural;
  const noun = /^(.+)_ids?$/.exec(name)?.[1];
  if (noun !== undefined) return knownKind(operation, name, `${noun.replaceAll('_', '-')}s`);
  const collections = operation.path.split('/').filter((part) => part in KINDS);
  return knownKind(operation, name, collections.at(-1) ?? name);
}

function knownKind(operation: Operation, name: string, kind: string): string {
  if (kind in KINDS) return kind;
  throw new Error(
    `${operation.route} takes "${name}", which seems to name one of "${kind}". ` +
      'This file cannot create one: add it to KINDS in test/support/service/routes.ts ' +
      '(or, for a path parameter that names no resource, to NO_RESOURCE).',
  );
}

export function createOne(
  kind: string,
  org: Organization,
  service: TestService,
  operationId = '',
  beside: ReadonlyMap<Slot, string> = new Map(),
) {
  const create = KINDS[kind] as Make;
  return create(org, service, operationId, beside);
}

export interface Filled {
  path: string;
  body: unknown;
}

/**
 * A request that fits the operation's schema, made from its examples, with these ids in its slots. Times of the
 * examples are moved into the future, and scopes are those that the caller may grant.
 */
export function fill(
  operation: Operation,
  ids: ReadonlyMap<Slot, string>,
  at: { nowMs: number; scopes: readonly string[] },
): Filled {
  let path =
    operation.path in NO_RESOURCE
      ? operation.path.replace(/\{\w+\}/, NO_RESOURCE[operation.path] as string)
      : operation.path;
  const query = new URLSearchParams();
  const body = operation.body ? fitExample(operation.body.schema, operation.body.example, at) : undefined;
  if (body?.name !== undefined && UNIQUE_NAMES.test(operation.path)) body.name = `Name ${++names}`;
  for (const [slot, id] of ids) {
    if (slot.in === 'path') path = path.replace(`{${slot.name}}`, encodeURIComponent(id));
    else if (slot.in === 'query') query.append(slot.name, id);
    else (body as Record<string, unknown>)[slot.name] = slot.isList ? [id] : id;
  }
  return { path: query.size > 0 ? `${path}?${query}` : path, body };
}

/** Where a name can be used once. */
const UNIQUE_NAMES = /^\/api\/v1\/(labels|snippets)/;
let names = 0;

function fitExample(schema: Schema, example: unknown, at: { nowMs: number; scopes: readonly string[] }) {
  const body = structuredClone(example) as Record<string, unknown>;
  for (const name of Object.keys(body)) {
    const field = schema.properties?.[name];
    // `since` is in the past.
    const ahead = name === 'since' ? -3_600_000 : 3_600_000;
    if (field?.format === 'date-time') body[name] = new Date(at.nowMs + ahead).toISOString();
    if (field?.items?.format === 'date-time') body[name] = [new Date(at.nowMs + 3_600_000).toISOString()];
    if (field?.items?.enum?.includes('posts:read')) body[name] = at.scopes;
  }
  return body;
}
