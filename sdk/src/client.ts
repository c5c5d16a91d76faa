// The typed client of the API. Its types are made from openapi.json (npm run openapi), so it cannot drift from it.
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.gen.js';

export type Airdate = Client<paths>;

type Schemas = components['schemas'];
export type Post = Schemas['Post'];
export type Asset = Schemas['Asset'];
export type UploadGrant = Schemas['UploadGrant'];
export type Problem = Schemas['Problem'];
export type SocialAccount = Schemas['SocialAccount'];
export type ApiKey = Schemas['ApiKey'];
export type AnalyticsSummary = Schemas['AnalyticsSummary'];

export interface AirdateOptions {
  /** Where the service answers, for example http://localhost:3000. */
  baseUrl: string;
  apiKey: string;
  /** Another fetch than the built-in one. */
  fetch?: typeof fetch;
}

/**
 * A client with one typed method per HTTP verb:
 *
 *     const airdate = createAirdate({ baseUrl: 'http://localhost:3000', apiKey });
 *     const { data, error } = await airdate.POST('/api/v1/posts', { body: { title: 'Hello' } });
 *
 * `error` is the problem the API answered with, `data` its body otherwise.
 */
export function createAirdate({ baseUrl, apiKey, fetch }: AirdateOptions): Airdate {
  return createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(fetch ? { fetch } : {}),
  });
}
