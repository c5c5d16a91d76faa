// The OpenAPI document, made from the route schemas, and the page that shows it without asking any other host.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { Consent, CreatorOptions, SocialAccount } from '../accounts/schema.js';
import { AnalyticsSummary, Timeline } from '../analytics/schema.js';
import { accessOf } from '../api/access.js';
import { Pagination } from '../api/pagination.js';
import { Problem } from '../api/schema.js';
import type { Server } from '../api/server.js';
import { Asset, UploadGrant } from '../assets/schema.js';
import { Event } from '../events/schema.js';
import { ApiKey, NewApiKey } from '../identity/keys/schema.js';
import { Invitation, Member, NewInvitation, Offer } from '../identity/members/schema.js';
import { Me, Organization } from '../identity/organizations/schema.js';
import { Entrance, Session } from '../identity/people/schema.js';
import { Release } from '../operator/schema.js';
import { Post } from '../posts/schema.js';
import { Dispatch } from '../publishing/log/schema.js';
import { Preflight, Published, PublishStatus } from '../publishing/schema.js';

const COMPONENTS: TSchema[] = [
  Post,
  Asset,
  UploadGrant,
  Pagination,
  Problem,
  AnalyticsSummary,
  Timeline,
  Event,
  Dispatch,
  Published,
  PublishStatus,
  Preflight,
  SocialAccount,
  Consent,
  CreatorOptions,
  ApiKey,
  NewApiKey,
  Organization,
  Me,
  Entrance,
  Session,
  Member,
  Invitation,
  NewInvitation,
  Offer,
  Release,
];

const INTRODUCTION = `Write short-form posts, publish them now or to the second on schedule, and always know what became of each.

Programs send \`Authorization: Bearer <API_KEY>\` with every request. People who have signed in have a cookie instead, never
both; with it, what changes something needs \`X-Airdate: dashboard\` and an \`Origin\` that is this server.

Errors are \`application/problem+json\` with a \`code\` for programs and a \`detail\` for people. POST and PATCH take an
\`Idempotency-Key\` (1 to 255 visible ASCII characters): within 24 hours the first answer is replayed with
\`Idempotency-Replayed: true\`. Only what signs people in and out, below \`/api/v1/auth\`, does not.`;

/** The page may use its own files only. Its drawings are data addresses, and it sets styles on its elements. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

export async function describeApi(server: Server): Promise<void> {
  for (const schema of COMPONENTS) server.addSchema(schema);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Airdate',
        version: '1',
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This server' }],
      security: [{ apiKey: [] }, { session: [] }],
      tags: [
        { name: 'Posts', description: 'Write, schedule, archive and delete posts' },
        { name: 'Assets', description: 'Slides and videos: upload, order, remove' },
        { name: 'Publishing', description: 'Publish now, look beforehand, follow, resolve' },
        { name: 'Dispatches', description: 'The log of every publish attempt' },
        { name: 'Events', description: 'What happened, listed or live' },
        { name: 'Analytics', description: 'Counts of posts and publish attempts' },
        { name: 'Accounts', description: 'Connected accounts of the platform' },
        { name: 'Keys', description: 'API keys of the organization' },
        { name: 'Organization', description: 'The caller itself' },
        { name: 'Members', description: 'The people of the organization, and invitations' },
        { name: 'People', description: 'Signing up, in and out; sessions and passwords' },
        { name: 'Operator', description: 'For whoever runs the service; needs ADMIN_TOKEN' },
        { name: 'Health', description: 'For load balancers and monitors' },
      ],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the organization' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'airdate',
            description: 'Of a person who has signed in',
          },
          operator: { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN' },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `schema${i}`) },
    transform: ({ schema, url, route }) => ({
      url,
      schema: describeRoute(schema, String(route.method), url),
    }),
  });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      layout: 'BaseLayout',
      validatorUrl: null,
      deepLinking: true,
      requestInterceptor: keyOrCookie,
    },
    staticCSP: PAGE_POLICY,
    theme: { title: 'Airdate API' },
  });
}

/** Runs in the page. Who has entered a key there means the key: a session beside it would be refused. */
const keyOrCookie = <T extends { headers?: Record<string, string> }>(request: T): T =>
  request.headers?.Authorization ? Object.assign(request, { credentials: 'omit' }) : request;

export function documentRoute(server: Server): void {
  let text: string | undefined;
  server.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    text ??= openApiText(server);
    return reply.header('content-type', 'application/json; charset=utf-8').send(text);
  });
}

export const openApiText = (server: Server): string => `${JSON.stringify(server.swagger(), null, 2)}\n`;

function describeRoute(schema: FastifySchema | undefined, method: string, url: string): FastifySchema {
  if (!schema || schema.hide) return { ...schema, hide: true };
  // What sets a cookie cannot be answered from a record.
  const isKept = (method === 'POST' || method === 'PATCH') && !url.startsWith('/api/v1/auth');
  return {
    ...schema,
    ...(accessOf(method, url) === 'session' ? { security: [{ session: [] }] } : {}),
    ...(url.startsWith('/api/admin/') ? forOperator(schema) : {}),
    ...(isKept ? { headers: IDEMPOTENCY_HEADER } : {}),
  };
}

/** The operator has no scopes and no limits. */
function forOperator({ response }: FastifySchema): FastifySchema {
  const { 403: _scope, 429: _limit, ...others } = response as Record<number, unknown>;
  return { security: [{ operator: [] }], response: others } as FastifySchema;
}

const IDEMPOTENCY_HEADER = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Makes the request safe to repeat: the first answer is replayed for 24 hours',
    },
  },
};
