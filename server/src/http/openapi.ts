// The OpenAPI document, built from the route schemas.
import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { Consent, CreatorOptions, SocialAccount } from '../accounts/schema.js';
import { AnalyticsSummary, Timeline } from '../analytics/schema.js';
import { PartsGrant, Upload } from '../assets/multipart/schema.js';
import { Asset, AssetList, UploadGrant } from '../assets/schema.js';
import { AuditActions, AuditEntry } from '../audit/schema.js';
import { Event, EventDataSchemas, EventSchemas } from '../events/schema.js';
import { NewWebhook, Webhook, WebhookDelivery, WebhookTest } from '../events/webhooks/schema.js';
import { Factor, NewFactor, RecoveryCodes, SignInTicket } from '../identity/auth/factors/schema.js';
import { AuthState, Session } from '../identity/auth/schema.js';
import { ApiKey, ApiKeyDetails, NewApiKey } from '../identity/keys/schema.js';
import { MEMBER_SCHEMAS } from '../identity/members/schema.js';
import { ManagedOrganization, Me, Organization } from '../identity/organizations/schema.js';
import { Release } from '../operator/schema.js';
import { Attention } from '../posts/attention/schema.js';
import { Label } from '../posts/labels/schema.js';
import { PostCounts } from '../posts/list/schema.js';
import { Post } from '../posts/schema.js';
import { Snippet } from '../posts/snippets/schema.js';
import { Dispatch } from '../publishing/history/schema.js';
import { Preflight, Published, PublishStatus } from '../publishing/schema.js';
import { accessOf, STEP_UP } from '../request/access.js';
import { Pagination } from '../request/pagination.js';
import { PostProblem } from '../request/post-problem.js';
import { addProblems, NotModified, Problem } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { serveConsole } from './console.js';
import { isTagged } from './etags.js';
import { headerRefs, RATE_LIMIT, shareComponents } from './openapi-components.js';
import { addExamples } from './openapi-examples.js';
import { describeFields } from './openapi-fields.js';
import { addWebhooks } from './openapi-webhooks.js';

/** The schemas with a name. */
export const COMPONENTS: TSchema[] = [
  Post,
  Attention,
  PostCounts,
  Label,
  Snippet,
  Asset,
  AssetList,
  UploadGrant,
  PartsGrant,
  Upload,
  Pagination,
  Problem,
  PostProblem,
  AnalyticsSummary,
  Timeline,
  ...EventDataSchemas,
  ...EventSchemas,
  Event,
  Webhook,
  NewWebhook,
  WebhookDelivery,
  WebhookTest,
  AuditActions,
  AuditEntry,
  Dispatch,
  Published,
  PublishStatus,
  Preflight,
  SocialAccount,
  Consent,
  CreatorOptions,
  ApiKey,
  ApiKeyDetails,
  NewApiKey,
  Organization,
  ManagedOrganization,
  Me,
  AuthState,
  Session,
  Factor,
  NewFactor,
  RecoveryCodes,
  SignInTicket,
  ...MEMBER_SCHEMAS,
  Release,
];

const INTRODUCTION = `Write short-form posts, publish them now or schedule them to the second, and always know what happened to each one.

The [documentation](/docs) has guides and a quick start.

**Authentication.** Programs send \`Authorization: Bearer <API_KEY>\` with every request. People sign in and get a session
cookie instead. With a key, the cookie is ignored. With a cookie, a request that changes data must send
\`X-Airdate: dashboard\` and an \`Origin\` that is this server. A request may also send the id of a person as
\`X-Airdate-Person\`: it is then rejected if someone else is signed in.

**Errors** are \`application/problem+json\` with a \`code\` for programs and a \`detail\` for people.

**Idempotency.** POST and PATCH accept an \`Idempotency-Key\` (1 to 255 visible ASCII characters). For 24 hours, a repeated
request gets the first response again, with \`Idempotency-Replayed: true\`. Endpoints under \`/api/v1/auth\` do not support it.

**ETags.** Single posts and all lists except events have a strong \`ETag\`, unless you use \`include\`. Creating or updating a
post returns one too. A GET with a matching \`If-None-Match\` returns 304 without a body. A PATCH or DELETE of a post with an
outdated \`If-Match\` returns 412 and changes nothing. A replayed response takes precedence over \`If-Match\` and keeps its
original \`ETag\`.`;

export async function describeApi(server: Server): Promise<void> {
  for (const schema of COMPONENTS) server.addSchema(schema);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Airdate',
        version: '1',
        description: INTRODUCTION,
        contact: { name: 'The operator of this installation' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This server' }],
      security: [{ apiKey: [] }, { session: [] }],
      tags: [
        { name: 'Posts', description: 'Write, schedule, archive and delete posts' },
        { name: 'Labels', description: 'Coloured names that group posts' },
        { name: 'Snippets', description: 'Saved captions and groups of hashtags' },
        { name: 'Assets', description: 'Slides and videos: upload, order, remove' },
        {
          name: 'Publishing',
          description: 'Publish now, run a preflight check, follow the outcome, resolve unknown outcomes',
        },
        { name: 'Dispatches', description: 'The log of every publish attempt' },
        { name: 'Events', description: 'Events, as a list or a live stream' },
        { name: 'Webhooks', description: 'Events sent to your own endpoints: signed, retried and logged' },
        { name: 'Analytics', description: 'Counts of posts and publish attempts' },
        { name: 'Accounts', description: 'Connected platform accounts' },
        { name: 'Keys', description: 'API keys of the organization' },
        { name: 'Audit', description: 'Who did what in the organization' },
        { name: 'Organization', description: 'The caller and its organization' },
        { name: 'Members', description: 'Members of the organization, and invitations' },
        { name: 'People', description: 'Sign-up, sign-in and sign-out; sessions and passwords' },
        { name: 'Operator', description: 'For the operator of the service; requires ADMIN_TOKEN' },
        { name: 'Health', description: 'For load balancers and monitoring' },
      ],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the organization' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'airdate',
            description: 'The session cookie of a signed-in person',
          },
          operator: { type: 'http', scheme: 'bearer', description: 'The operator token, `ADMIN_TOKEN`' },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `schema${i}`) },
    transform: ({ schema, url, route }) => ({
      url,
      schema: describeRoute(schema, String(route.method), url),
    }),
    transformObject: (made) =>
      addWebhooks(
        shareComponents(
          addExamples(
            describeFields(
              listParameters(letBodiesBeOmitted('openapiObject' in made ? made.openapiObject : {})),
            ),
          ),
        ),
      ),
  });
  await serveConsole(server);
}

export const openApiText = (server: Server): string => `${JSON.stringify(server.swagger(), null, 2)}\n`;

interface Described {
  paths?: Record<string, object | undefined> | undefined;
}

interface WithBody {
  requestBody?: { required?: boolean; content: Record<string, { schema?: { type?: unknown } }> };
}

/** The plugin calls every body required. One that may be null may also be omitted. */
function letBodiesBeOmitted<T extends Described>(document: T): T {
  for (const path of Object.values(document.paths ?? {}))
    for (const { requestBody } of Object.values(path ?? {}) as WithBody[]) {
      const type = requestBody?.content['application/json']?.schema?.type;
      if (requestBody && Array.isArray(type) && type.includes('null')) requestBody.required = false;
    }
  return document;
}

interface Listed {
  schema: { 'x-list'?: object };
  style?: string;
  explode?: boolean;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** What the server reads as a text with commas is a list to clients: `choices` in request/schema.ts. */
function listParameters<T extends Described>(document: T): T {
  for (const path of Object.values(document.paths ?? {}))
    for (const { parameters = [] } of Object.values(path ?? {}) as { parameters?: Listed[] }[])
      for (const parameter of parameters) {
        const list = parameter.schema['x-list'];
        if (!list) continue;
        Object.assign(parameter, { schema: list, style: 'form', explode: false });
        if (parameter.example !== undefined) parameter.example = String(parameter.example).split(',');
        for (const example of Object.values(parameter.examples ?? {}))
          example.value = String(example.value).split(',');
      }
  return document;
}

function describeRoute(schema: FastifySchema | undefined, method: string, url: string): FastifySchema {
  if (!schema || schema.hide) return { ...schema, hide: true };
  // A replayed response could not set the cookie.
  const isKept = (method === 'POST' || method === 'PATCH') && !url.startsWith('/api/v1/auth');
  const described = {
    ...schema,
    ...(url.startsWith('/api/admin/') ? forOperator(schema) : {}),
    ...(STEP_UP[`${method} ${url}`] === undefined ? {} : withStepUp(schema)),
  };
  return {
    ...described,
    ...(accessOf(method, url) === 'session' ? { security: [{ session: [] }] } : {}),
    ...describeHeaders(method, url, described, isKept),
  };
}

/** The documented headers of a route: those that a request may send, and the ETag of what is sent back. */
function describeHeaders(method: string, url: string, schema: FastifySchema, isKept: boolean): FastifySchema {
  const isRead = isTagged(method, url, schema);
  const isPost = url === '/api/v1/posts/:id';
  const isLimited = url.startsWith('/api/v1/') && accessOf(method, url) !== 'public';
  const properties = {
    ...(isKept ? IDEMPOTENCY_KEY : {}),
    ...(isPost && (method === 'PATCH' || method === 'DELETE') ? IF_MATCH : {}),
    ...(isRead ? IF_NONE_MATCH : {}),
  };
  const response = { ...(schema.response as Record<number, object>) };
  if (isRead) response[304] = NotModified;
  const isOfPost =
    (isPost || url === '/api/v1/posts' || url === '/api/v1/posts/:id/duplicate') && method !== 'DELETE';
  for (const [status, described] of Object.entries(response).filter(([status]) => status < '400')) {
    const headers = headerRefs(
      ...(isRead || (isOfPost && status !== '204') ? (['ETag'] as const) : []),
      ...(status === '201' ? (['Location'] as const) : []),
      ...(isKept && status < '300' ? (['Idempotency-Replayed'] as const) : []),
      ...(isLimited ? RATE_LIMIT : []),
    );
    if (Object.keys(headers).length > 0) response[Number(status)] = { ...described, headers };
  }
  return {
    response,
    ...(Object.keys(properties).length === 0 ? {} : { headers: { type: 'object', properties } }),
  };
}

/** The refusal of a person who has not proved themselves lately, beside the others with its status. */
const withStepUp = ({ response }: FastifySchema): FastifySchema => ({
  response: addProblems(response as Record<number, unknown>, ['reauthentication_required']),
});

/** The operator has no scopes and no session. Only wrong tokens have a rate limit. */
function forOperator({ response }: FastifySchema): FastifySchema {
  const { 403: _scope, ...others } = response as Record<number, unknown>;
  return { security: [{ operator: [] }], response: others } as FastifySchema;
}

const IDEMPOTENCY_KEY = {
  'Idempotency-Key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description:
      'Makes the request safe to repeat. For 24 hours, a repeated request gets the first response again if that was a success, 409 or 422. After any other error the request runs again.',
  },
};

const IF_MATCH = {
  'If-Match': {
    type: 'string',
    description:
      'One or more ETags of the post, or `*`. If the post has changed since, the response is 412 and nothing changes. Requests with the same `Idempotency-Key` may differ in this header.',
  },
};

const IF_NONE_MATCH = {
  'If-None-Match': {
    type: 'string',
    description:
      'One or more ETags that you already have, or `*`. If one of them is still current, the response is 304 without a body.',
  },
};
