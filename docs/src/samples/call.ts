// The call that a page of the reference shows in three languages: the example of the document, with everything that it needs.
import { ANY_ADDRESS } from '@airdate/server/src/http/own-address.js';
import { accessOf } from '@airdate/server/src/request/access.js';
import type { OpenApi, Operation } from '../open-api.js';
import { exampleOf, parameterExample, successOf } from './examples.js';

export interface Call {
  operationId: string;
  method: string;
  /** As in the document, with the names of its parameters. */
  template: string;
  path: Record<string, string>;
  query: Record<string, string | number>;
  body?: unknown;
  credentials: Credentials;
  /** What comes back. */
  returns: 'list' | 'object' | 'text' | 'nothing';
}

/** `page`: no one is signed in yet, but the request must come from a page of Airdate. */
export type Credentials = 'key' | 'operator' | 'session' | 'page' | 'none';

/** Optional parameters that say what an operation is for. */
const SHOWN: Readonly<Record<string, Record<string, string | number>>> = {
  listPosts: { status: 'scheduled', sort: 'scheduled_at' },
  exportPosts: { format: 'csv', status: 'posted' },
  listDispatches: { outcome: 'failed' },
  exportDispatches: { format: 'ndjson' },
  getTimeline: { from: '2026-11-01', to: '2026-11-07', time_zone: 'Europe/Berlin' },
  listEvents: { after: 'evt_000000000' },
  listSnippets: { kind: 'hashtags' },
  listAudit: { action: 'key.created,key.revoked' },
};

export function callOf(method: string, template: string, operation: Operation, api: OpenApi): Call {
  const { operationId, parameters = [], requestBody } = operation;
  const valuesIn = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && one.required)
        .map(({ name }) => [name, parameterExample(name, template, api)]),
    );
  const json = requestBody?.content['application/json'];
  const body = json && exampleOf(json, api);
  const isNeeded = requestBody?.required || Object.keys(Object(body)).length > 0;
  return {
    operationId,
    method: method.toUpperCase(),
    template,
    path: valuesIn('path'),
    query: { ...valuesIn('query'), ...SHOWN[operationId] },
    ...(isNeeded ? { body } : {}),
    credentials: credentialsOf(method, template),
    returns: returnsOf(operation, api),
  };
}

function credentialsOf(method: string, template: string): Credentials {
  const access = accessOf(method.toUpperCase(), template.replaceAll(/\{(\w+)\}/g, ':$1'));
  if (access === 'public') return template.startsWith('/api/v1/auth') && method !== 'get' ? 'page' : 'none';
  return access === 'session' || access === 'operator' ? access : 'key';
}

function returnsOf(operation: Operation, api: OpenApi): Call['returns'] {
  const { types, body } = successOf(operation, api);
  if (types.length === 0) return 'nothing';
  if (!types.includes('application/json')) return 'text';
  return body !== null && typeof body === 'object' && 'pagination' in body ? 'list' : 'object';
}

export function urlOf({ template, path, query }: Call): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
  const search = Object.entries(query)
    .map(
      ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%2F', '/')}`,
    )
    .join('&');
  return ANY_ADDRESS + filled + (search && `?${search}`);
}
