// The table route → access is complete: no route without a row, no row without a route, every row enforced.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { ROLE_SCOPES, SCOPES, type Scope } from '../../src/app/scopes.js';
import { buildServer } from '../../src/http/server.js';
import { ACCESS, type Access } from '../../src/request/access.js';
import type { Server } from '../../src/request/server.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization, type TestService, useService } from '../support/service/harness.js';
import { operationsOf, readDocument, sessionHeaders } from '../support/service/routes.js';

const METHODS = ['OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET'];

/** `/posts/batch` also matches `/posts/:id`, whose methods it therefore has. */
function isOfParameter(method: string, url: string): boolean {
  if (Object.hasOwn(ACCESS, `${method} ${url}`)) return false;
  return Object.keys(ACCESS).some((route) => {
    const [itsMethod, pattern = ''] = route.split(' ');
    return (
      itsMethod === method &&
      pattern.includes(':') &&
      new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(url)
    );
  });
}

onEngines('sqlite', 'the table of access', (engine) => {
  const service = useService(engine);

  it('has a row for every route of the server, and no other', async () => {
    const server = await anotherServer(service);
    const routes: string[] = [];
    for (const url of addressesOf(server))
      for (const method of await methodsOf(service, url))
        if (!isOfParameter(method, url)) routes.push(`${method} ${url}`);
    assert.deepEqual(routes.sort(), Object.keys(ACCESS).sort());
    await server.close();
  });

  it('agrees with the OpenAPI document on the credentials of each route', async () => {
    for (const { route, opensWith } of operationsOf(await readDocument(service))) {
      const access = ACCESS[route];
      assert.ok(access, `${route} has no row`);
      const others: Partial<Record<Access, string>> = {
        public: 'nothing',
        operator: 'operator',
        session: 'session',
      };
      assert.equal(opensWith, others[access] ?? 'key', route);
    }
  });

  it('is what the running service enforces, row by row', async () => {
    const org = await service.newOrganization();
    for (const [route, access] of Object.entries(ACCESS)) {
      const [method, url] = route.split(' ') as [string, string];
      const status = async (key?: string) =>
        (await service.request(method, url.replaceAll(/:\w+/g, randomUUID()), { key })).status;
      // Authorized by the request itself: a signed URL, or a webhook's signature.
      if (url === '/storage/*' || url === '/webhooks/social') continue;
      const opened = await keysThatOpen(org, access);
      for (const key of opened)
        assert.ok(![401, 403].includes(await status(key)), `${route} refuses a key with access`);
      if (access === 'session') {
        const headers = await sessionHeaders(org, service);
        const { status } = await service.request(method, url.replaceAll(/:\w+/g, randomUUID()), { headers });
        assert.ok(![401, 403].includes(status), `${route} refuses a session`);
      }
      for (const [key, expected] of await keysThatDoNot(org, access))
        assert.equal(await status(key), expected, `${route} with ${key ?? 'no key'}`);
    }
  });

  it('applies the row of GET to HEAD', async () => {
    for (const [route, access] of Object.entries(ACCESS).filter(([route]) => route.startsWith('GET '))) {
      const url = route.slice(4).replaceAll(/:\w+/g, randomUUID());
      const { status } = await service.request('HEAD', url);
      if (access === 'public') assert.notEqual(status, 401, route);
      else assert.equal(status, 401, route);
    }
  });

  it('keeps a server with a route without a row from starting', async () => {
    const server = await anotherServer(service);
    assert.throws(
      () => server.get('/api/v1/forgotten', async () => ({})),
      /GET \/api\/v1\/forgotten has no row/,
    );
    assert.throws(() => server.put('/api/v1/posts', async () => ({})), /PUT \/api\/v1\/posts has no row/);
    await server.close();
    const hidden = await anotherServer(service);
    hidden.register(async (inner) => {
      inner.post('/forgotten', async () => ({}));
    });
    await assert.rejects(async () => hidden.ready(), /POST \/forgotten has no row/);
  });
});

describe('the table of access', () => {
  it('requires for each route what the contract requires', () => {
    for (const [route, access] of Object.entries(ACCESS)) assert.equal(access, contractOf(route), route);
  });
});

describe('the table of roles', () => {
  it('gives each role the scopes of the contract', () => {
    const viewer = ['posts:read', 'analytics:read'];
    const editor = [...viewer, 'posts:write', 'posts:publish'];
    const admin = [...editor, 'accounts:manage', 'org:manage'];
    const sorted = Object.entries(ROLE_SCOPES).map(([role, scopes]) => [role, [...scopes].sort()]);
    assert.deepEqual(Object.fromEntries(sorted), {
      viewer: viewer.sort(),
      editor: editor.sort(),
      admin: admin.sort(),
      owner: [...SCOPES].sort(),
    });
  });

  it('names exactly the scopes of the contract', () => {
    assert.deepEqual(
      [...SCOPES].sort(),
      [
        'posts:read',
        'posts:write',
        'posts:publish',
        'analytics:read',
        'accounts:manage',
        'org:manage',
      ].sort(),
    );
  });
});

/** Stated a second time, independently of the table, so that a mistake in it shows. */
function contractOf(route: string): Access {
  const [method, url] = route.split(' ') as [string, string];
  if (url.startsWith('/api/admin/v1/')) return 'operator';
  if (url === '/mcp') return 'key';
  if (!url.startsWith('/api/')) return 'public';
  switch (url.split('/')[3]) {
    case 'me':
      return method === 'GET' ? 'key' : 'session';
    case 'auth':
      return /\/(sign-out|password|profile|sessions|confirm|factors|recovery-codes)(\/|$)/.test(url)
        ? 'session'
        : 'public';
    case 'members':
      // What no key may do, because no one can ask it for a proof.
      return /\/(sessions|reset-link)$/.test(url) ? 'session' : 'org:manage';
    case 'organization':
    case 'audit':
    case 'invitations':
    case 'webhooks':
      return 'org:manage';
    case 'posts':
      if (/\/(publish|resolve)$/.test(url)) return 'posts:publish';
      // The response has URLs that take bytes.
      if (url.includes('/uploads/')) return 'posts:write';
      return method === 'GET' ? 'posts:read' : 'posts:write';
    case 'labels':
    case 'snippets':
      return method === 'GET' ? 'posts:read' : 'posts:write';
    case 'attention':
    case 'dispatches':
    case 'events':
      return 'posts:read';
    case 'social-accounts':
      return method === 'GET' ? 'posts:read' : 'accounts:manage';
    case 'analytics':
      return 'analytics:read';
    case 'keys':
      return 'org:manage';
    default:
      throw new Error(`${route} is new: add to contractOf what the contract requires for it`);
  }
}

/** A second server on the same database, without a port. */
function anotherServer({ app }: TestService): Promise<Server> {
  const sandbox = { handle() {}, close: async () => {} };
  return buildServer(app, { app, worker: () => null, isStopping: () => false }, sandbox);
}

/** The paths of the routing tree, without the documentation page's own files. */
function addressesOf(server: Server): string[] {
  const above: string[] = [];
  const found: string[] = [];
  for (const line of server.printRoutes().split('\n')) {
    // A line without methods is only a prefix that several paths share.
    const [, indent, part, methods] = /^([│ ]*)[├└]── (\S+)( \(.+\))?/.exec(line) ?? [];
    if (indent === undefined || part === undefined) continue;
    const depth = indent.length / 4;
    above[depth] = (above[depth - 1] ?? '') + part;
    if (methods !== undefined) found.push(above[depth] as string);
  }
  return found.filter((url) => !/^\/docs(\/|$)/.test(url));
}

/** The methods of a path, from the Allow header of its 405. */
async function methodsOf(service: TestService, url: string): Promise<string[]> {
  for (const method of METHODS) {
    const { status, headers } = await service.request(method, url.replaceAll(/:\w+/g, randomUUID()));
    if (status === 405)
      return (headers.get('allow') ?? '').split(', ').filter((allowed) => allowed !== 'HEAD');
  }
  return METHODS;
}

async function keysThatOpen(org: Organization, access: Access): Promise<(string | undefined)[]> {
  if (access === 'public') return [undefined];
  if (access === 'operator') return [ADMIN_TOKEN];
  if (access === 'session') return [];
  return [await org.keyWith([access === 'key' ? 'posts:read' : access])];
}

async function keysThatDoNot(org: Organization, access: Access): Promise<[string | undefined, number][]> {
  if (access === 'public') return [];
  if (access === 'operator')
    return [
      [undefined, 401],
      [org.key, 401],
    ];
  if (access === 'session')
    return [
      [undefined, 401],
      [ADMIN_TOKEN, 401],
      [org.key, 403],
    ];
  const others = SCOPES.filter((scope: Scope) => scope !== access);
  return [
    [undefined, 401],
    [ADMIN_TOKEN, 401],
    ...(access === 'key' ? [] : [[await org.keyWith(others), 403] as [string, number]]),
  ];
}
