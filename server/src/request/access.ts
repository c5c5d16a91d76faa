// The access table: what each route requires. The server does not start with a route that has no row (see http/server.ts).
import type { Scope } from '../app/scopes.js';

/** The paths of the dashboard's screens; see web/src/router.tsx. */
export const SCREENS = [
  '/',
  '/library',
  '/posts/new',
  '/posts/:id',
  '/posts/:id/edit',
  '/calendar',
  '/analytics',
  '/accounts',
  '/settings',
  '/settings/:section',
  '/sign-in',
  '/sign-up',
  '/enter',
  '/reset',
  '/invitation',
];

/**
 * A scope, of a key or of a person's role; `key`: any valid key or session; `session`: a signed-in person; `operator`:
 * ADMIN_TOKEN; `public`: no credentials.
 */
export type Access = Scope | 'key' | 'session' | 'operator' | 'public';

/**
 * Routes that ask a signed-in person to prove themselves again if they have not done so lately (see proof.ts). `some`: only with some
 * bodies, or for some people; the use case asks.
 */
export const STEP_UP: Readonly<Record<string, 'always' | 'some'>> = {
  'POST /api/v1/auth/password': 'some',
  'POST /api/v1/auth/factors': 'always',
  'POST /api/v1/auth/factors/:id/confirm': 'always',
  'DELETE /api/v1/auth/factors/:id': 'always',
  'POST /api/v1/auth/recovery-codes': 'always',
  'PATCH /api/v1/organization': 'some',
  'PATCH /api/v1/members/:id': 'some',
  'DELETE /api/v1/members/:id': 'always',
  'DELETE /api/v1/members/:id/sessions': 'always',
  'POST /api/v1/members/:id/reset-link': 'always',
  'POST /api/v1/invitations': 'some',
  'POST /api/v1/webhooks': 'always',
  'PATCH /api/v1/webhooks/:id': 'some',
  'POST /api/v1/webhooks/:id/rotate': 'always',
  'DELETE /api/v1/social-accounts/:id': 'always',
  'POST /api/v1/keys': 'always',
};

/** What a member may still do who lacks the second factor that the organization requires: enrol one. */
export const isOpenWithoutFactor = (url: string): boolean => /^\/api\/v1\/(me|auth)(\/|$)/.test(url);

export const ACCESS: Readonly<Record<string, Access>> = {
  'GET /api/v1/me': 'key',
  'PATCH /api/v1/me': 'session',

  // Authorized by the request's own content: a password, or the token of a link.
  'GET /api/v1/auth': 'public',
  'POST /api/v1/auth/sign-up': 'public',
  'POST /api/v1/auth/sign-in': 'public',
  'POST /api/v1/auth/enter': 'public',
  'POST /api/v1/auth/forgot': 'public',
  'POST /api/v1/auth/reset': 'public',
  'POST /api/v1/auth/second-factor': 'public',
  'POST /api/v1/auth/invitation': 'public',
  'POST /api/v1/auth/accept': 'public',
  'POST /api/v1/auth/sign-out': 'session',
  'POST /api/v1/auth/password': 'session',
  'PATCH /api/v1/auth/profile': 'session',
  'GET /api/v1/auth/sessions': 'session',
  'DELETE /api/v1/auth/sessions': 'session',
  'DELETE /api/v1/auth/sessions/:id': 'session',
  'POST /api/v1/auth/confirm': 'session',
  'GET /api/v1/auth/factors': 'session',
  'POST /api/v1/auth/factors': 'session',
  'GET /api/v1/auth/factors/:id': 'session',
  'POST /api/v1/auth/factors/:id/confirm': 'session',
  'DELETE /api/v1/auth/factors/:id': 'session',
  'POST /api/v1/auth/recovery-codes': 'session',

  'PATCH /api/v1/organization': 'org:manage',
  'GET /api/v1/members': 'org:manage',
  'GET /api/v1/members/:id': 'org:manage',
  'PATCH /api/v1/members/:id': 'org:manage',
  'DELETE /api/v1/members/:id': 'org:manage',
  'DELETE /api/v1/members/:id/sessions': 'session',
  'POST /api/v1/members/:id/reset-link': 'session',
  'GET /api/v1/invitations': 'org:manage',
  'POST /api/v1/invitations': 'org:manage',
  'GET /api/v1/invitations/:id': 'org:manage',
  'DELETE /api/v1/invitations/:id': 'org:manage',

  'GET /api/v1/audit': 'org:manage',

  'GET /api/v1/posts': 'posts:read',
  'POST /api/v1/posts': 'posts:write',
  'GET /api/v1/posts/counts': 'posts:read',
  'GET /api/v1/posts/export': 'posts:read',
  'PATCH /api/v1/posts/batch': 'posts:write',
  // Some actions also need posts:publish; see posts/bulk.ts.
  'POST /api/v1/posts/bulk': 'posts:write',
  // Scheduled lines also need posts:publish; see posts/import/check.ts.
  'POST /api/v1/posts/import': 'posts:write',
  'GET /api/v1/posts/:id': 'posts:read',
  'PATCH /api/v1/posts/:id': 'posts:write',
  'DELETE /api/v1/posts/:id': 'posts:write',

  'GET /api/v1/attention': 'posts:read',
  'GET /api/v1/labels': 'posts:read',
  'POST /api/v1/labels': 'posts:write',
  'GET /api/v1/labels/:id': 'posts:read',
  'PATCH /api/v1/labels/:id': 'posts:write',
  'DELETE /api/v1/labels/:id': 'posts:write',

  'GET /api/v1/snippets': 'posts:read',
  'POST /api/v1/snippets': 'posts:write',
  'GET /api/v1/snippets/:id': 'posts:read',
  'PATCH /api/v1/snippets/:id': 'posts:write',
  'DELETE /api/v1/snippets/:id': 'posts:write',

  'POST /api/v1/posts/:id/duplicate': 'posts:write',

  'GET /api/v1/posts/:id/assets': 'posts:read',
  'POST /api/v1/posts/:id/assets': 'posts:write',
  'PATCH /api/v1/posts/:id/assets': 'posts:write',
  'DELETE /api/v1/posts/:id/assets': 'posts:write',
  'POST /api/v1/posts/:id/assets/complete': 'posts:write',
  // Its URLs take bytes.
  'GET /api/v1/posts/:id/uploads/:upload_id': 'posts:write',
  'POST /api/v1/posts/:id/uploads/:upload_id/complete': 'posts:write',
  'DELETE /api/v1/posts/:id/uploads/:upload_id': 'posts:write',
  'POST /api/v1/posts/:id/assets/import': 'posts:write',

  'POST /api/v1/posts/:id/publish': 'posts:publish',
  'GET /api/v1/posts/:id/publish-status': 'posts:read',
  'GET /api/v1/posts/:id/preflight': 'posts:read',
  'POST /api/v1/posts/:id/resolve': 'posts:publish',
  'GET /api/v1/posts/:id/dispatches': 'posts:read',
  'GET /api/v1/dispatches': 'posts:read',
  'GET /api/v1/dispatches/export': 'posts:read',
  'GET /api/v1/dispatches/:id': 'posts:read',

  'GET /api/v1/events': 'posts:read',

  'GET /api/v1/webhooks': 'org:manage',
  'POST /api/v1/webhooks': 'org:manage',
  'GET /api/v1/webhooks/:id': 'org:manage',
  'PATCH /api/v1/webhooks/:id': 'org:manage',
  'DELETE /api/v1/webhooks/:id': 'org:manage',
  'POST /api/v1/webhooks/:id/rotate': 'org:manage',
  'POST /api/v1/webhooks/:id/test': 'org:manage',
  'POST /api/v1/webhooks/:id/recover': 'org:manage',
  'GET /api/v1/webhooks/:id/deliveries': 'org:manage',
  'POST /api/v1/webhooks/:id/deliveries/:delivery_id/replay': 'org:manage',

  'GET /api/v1/analytics': 'analytics:read',
  'GET /api/v1/analytics/timeline': 'analytics:read',

  'GET /api/v1/social-accounts': 'posts:read',
  'POST /api/v1/social-accounts/connect': 'accounts:manage',
  'GET /api/v1/social-accounts/:id': 'posts:read',
  'GET /api/v1/social-accounts/:id/creator-info': 'posts:read',
  'PATCH /api/v1/social-accounts/:id': 'accounts:manage',
  'POST /api/v1/social-accounts/:id/unblock': 'accounts:manage',
  'DELETE /api/v1/social-accounts/:id': 'accounts:manage',

  'GET /api/v1/keys': 'org:manage',
  'POST /api/v1/keys': 'org:manage',
  'GET /api/v1/keys/:id': 'org:manage',
  'PATCH /api/v1/keys/:id': 'org:manage',
  'DELETE /api/v1/keys/:id': 'org:manage',

  'GET /api/admin/v1/organizations': 'operator',
  'POST /api/admin/v1/organizations': 'operator',
  'GET /api/admin/v1/organizations/:id': 'operator',
  'PATCH /api/admin/v1/organizations/:id': 'operator',
  'POST /api/admin/v1/organizations/:id/keys': 'operator',
  'GET /api/admin/v1/organizations/:id/keys/:key_id': 'operator',
  'POST /api/admin/v1/release': 'operator',

  // Each tool has scopes of its own; see http/mcp/tools.ts.
  'POST /mcp': 'key',

  // Authorized by a signed URL; see object-store/disk/signed-address.ts.
  'PUT /storage/*': 'public',
  'GET /storage/*': 'public',
  'OPTIONS /storage/*': 'public',

  // For the platform: the URL of a slide holds a secret of its attempt; a webhook is signed.
  'GET /media/:nonce/:file': 'public',
  'POST /webhooks/social': 'public',

  // The sandbox platform has tokens of its own.
  'GET /sandbox': 'public',
  'GET /sandbox/*': 'public',
  'POST /sandbox/*': 'public',
  'PUT /sandbox/*': 'public',

  // Authorized by the state in its query, and by the session that began it; see accounts/connect.ts.
  'GET /oauth/callback': 'public',

  // The dashboard's page and files are the same for all visitors; the data they show is not.
  ...Object.fromEntries(SCREENS.map((url) => [`GET ${url}`, 'public' as const])),
  'GET /assets/*': 'public',
  'GET /favicon.svg': 'public',
  'GET /color-scheme.js': 'public',
  'GET /NOTICES.txt': 'public',

  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /openapi.json': 'public',
  'GET /problems/:code': 'public',
  'GET /llms.txt': 'public',
  'GET /llms-full.txt': 'public',
};

/** The row of a route. The documentation and its console have routes of their own, all public. */
export function accessOf(method: string, url: string): Access | undefined {
  const row = ACCESS[`${method === 'HEAD' ? 'GET' : method} ${url}`];
  return row ?? (url === '/docs' || url.startsWith('/docs/') ? 'public' : undefined);
}
