// A small client for hostile tenants and their victims: plain HTTP, from an address of its own.
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the response it reads.
  json: any;
}

export interface Call {
  key?: string;
  json?: unknown;
  raw?: Uint8Array | string;
  headers?: Record<string, string>;
}

export type Client = (method: string, url: string, call?: Call) => Promise<Reply>;

/** The kernel owns all of 127.0.0.0/8, so that each client can have its own address. */
export function clientAt(address: string): Client {
  const agent = new Agent({ keepAlive: true, localAddress: address });
  return async (method, url, { key, json, raw, headers = {} } = {}) => {
    const body = json === undefined ? raw : JSON.stringify(json);
    const sent = request(url, {
      method,
      agent,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    });
    const answer = new Promise<Reply>((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', async (response) => {
        try {
          const responseText = await text(response);
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          resolve({ status: response.statusCode ?? 0, json: isJson ? JSON.parse(responseText) : undefined });
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.end(body);
    return answer;
  };
}

/** An organization with a key for everything. */
export async function newTenant(url: string, operator: string, name: string): Promise<string> {
  const call = clientAt('127.0.0.1');
  const made = await call('POST', `${url}/api/admin/v1/organizations`, {
    key: operator,
    json: { name, plan: 'growth' },
  });
  const keys = `${url}/api/admin/v1/organizations/${made.json.data.id}/keys`;
  const { json } = await call('POST', keys, { key: operator, json: { name: 'everything' } });
  return json.data.key;
}
