// The typed client of the API. Its types are made from openapi.json (npm run openapi), so it cannot drift from it.
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.gen.js';

export type { paths };

/** What is not JSON (a stream of events) is not read by this client, and so is none of its types. */
type Json = 'application/json' | 'application/problem+json';

export type Airdate = Client<paths, Json>;

type Schemas = components['schemas'];
export type Post = Schemas['Post'];
export type Asset = Schemas['Asset'];
export type UploadGrant = Schemas['UploadGrant'];
export type PartsGrant = Schemas['PartsGrant'];
export type Problem = Schemas['Problem'];
export type SocialAccount = Schemas['SocialAccount'];
export type ApiKey = Schemas['ApiKey'];
export type AnalyticsSummary = Schemas['AnalyticsSummary'];
export type CreatorOptions = Schemas['CreatorOptions'];
export type Dispatch = Schemas['Dispatch'];
export type Invitation = Schemas['Invitation'];
export type Me = Schemas['Me'];
export type Member = Schemas['Member'];
export type Organization = Schemas['Organization'];
export type Pagination = Schemas['Pagination'];
export type Preflight = Schemas['Preflight'];
export type PublishStatus = Schemas['PublishStatus'];
export type Session = Schemas['Session'];
export type Timeline = Schemas['Timeline'];
export type Event = Schemas['Event'];
export type AuditEntry = Schemas['AuditEntry'];

export interface AirdateOptions {
  /** Where the service answers, for example http://localhost:3000. */
  baseUrl: string;
  /** Left out on pages of the service itself: there the browser's session is who asks. */
  apiKey?: string;
  /** Another fetch than the built-in one. */
  fetch?: typeof fetch;
}

/**
 * A client with one typed method per HTTP verb:
 *
 *     const airdate = createAirdate({ baseUrl: 'http://localhost:3000', apiKey });
 *     const { data, error } = await airdate.POST('/api/v1/posts', { body: { title: 'Hello' } });
 *
 * `error` is the problem the API answered with, `data` its body otherwise. `response` has the headers. To overwrite a post only
 * if it is still the one you have read (otherwise: 412), send its ETag back:
 *
 *     const { response } = await airdate.GET('/api/v1/posts/{id}', { params: { path: { id } } });
 *     const header = { 'If-Match': response.headers.get('etag') ?? '' };
 *     await airdate.PATCH('/api/v1/posts/{id}', { params: { path: { id }, header }, body: { title: 'Better' } });
 */
export function createAirdate({ baseUrl, apiKey, fetch }: AirdateOptions): Airdate {
  return createClient<paths, Json>({
    baseUrl,
    // With a session, what changes something must name the page it comes from (see docs/decisions/0013-people.md).
    headers: apiKey === undefined ? { 'x-airdate': 'dashboard' } : { authorization: `Bearer ${apiKey}` },
    ...(fetch ? { fetch } : {}),
  });
}
