// Which route needs what: the one table. A route without a row does not start (see server.ts).
import type { Scope } from '../keys/scopes.js';

/** A scope; `key`: any valid key; `operator`: ADMIN_TOKEN; `public`: anybody. */
export type Access = Scope | 'key' | 'operator' | 'public';

export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /api/v1/me': 'key',

  'GET /api/v1/posts': 'posts:read',
  'POST /api/v1/posts': 'posts:write',
  'PATCH /api/v1/posts/batch': 'posts:write',
  'GET /api/v1/posts/:id': 'posts:read',
  'PATCH /api/v1/posts/:id': 'posts:write',
  'DELETE /api/v1/posts/:id': 'posts:write',

  'GET /api/v1/posts/:id/assets': 'posts:read',
  'POST /api/v1/posts/:id/assets': 'posts:write',
  'PATCH /api/v1/posts/:id/assets': 'posts:write',
  'DELETE /api/v1/posts/:id/assets': 'posts:write',
  'POST /api/v1/posts/:id/assets/complete': 'posts:write',

  'POST /api/v1/posts/:id/publish': 'posts:publish',
  'GET /api/v1/posts/:id/publish-status': 'posts:read',
  'GET /api/v1/posts/:id/preflight': 'posts:read',
  'POST /api/v1/posts/:id/resolve': 'posts:publish',
  'GET /api/v1/posts/:id/dispatches': 'posts:read',
  'GET /api/v1/dispatches': 'posts:read',

  'GET /api/v1/analytics': 'analytics:read',

  'GET /api/v1/social-accounts': 'posts:read',
  'POST /api/v1/social-accounts/connect': 'accounts:manage',
  'GET /api/v1/social-accounts/:id/creator-info': 'posts:read',
  'DELETE /api/v1/social-accounts/:id': 'accounts:manage',

  'GET /api/v1/keys': 'org:manage',
  'POST /api/v1/keys': 'org:manage',
  'DELETE /api/v1/keys/:id': 'org:manage',

  'GET /api/admin/v1/organizations': 'operator',
  'POST /api/admin/v1/organizations': 'operator',
  'PATCH /api/admin/v1/organizations/:id': 'operator',
  'POST /api/admin/v1/organizations/:id/keys': 'operator',

  // Whoever holds a signed address may use it; see storage/signed-address.ts.
  'PUT /storage/*': 'public',
  'GET /storage/*': 'public',
  'OPTIONS /storage/*': 'public',

  // The platform's own: the address is a secret of one attempt; a webhook is signed.
  'GET /media/:nonce/:file': 'public',
  'POST /webhooks/social': 'public',

  // The sandbox platform has tokens of its own.
  'GET /sandbox': 'public',
  'GET /sandbox/*': 'public',
  'POST /sandbox/*': 'public',
  'PUT /sandbox/*': 'public',

  // Opened by the state in its query; see accounts/connect.ts.
  'GET /oauth/callback': 'public',

  'GET /': 'public',
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /openapi.json': 'public',
  'GET /problems/:code': 'public',
};

/** The row of a route. The documentation page brings files of its own, all public. */
export function accessOf(method: string, url: string): Access | undefined {
  const row = ACCESS[`${method === 'HEAD' ? 'GET' : method} ${url}`];
  return row ?? (url === '/docs' || url.startsWith('/docs/') ? 'public' : undefined);
}
