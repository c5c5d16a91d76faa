// Everything the API answers. Registering a route uses nothing of the App: handlers do, when a request comes. The API can
// therefore be described without a database, a store or a key.
import { accountRoutes } from '../accounts/routes.js';
import { analyticsRoutes } from '../analytics/routes.js';
import type { App } from '../app/app.js';
import { IMPORTED_FILES } from '../assets/fetch/imported-files.js';
import { fetchRoutes } from '../assets/fetch/routes.js';
import { partRoutes } from '../assets/multipart/routes.js';
import { assetRoutes } from '../assets/routes.js';
import { auditRoutes } from '../audit/routes.js';
import { eventRoutes } from '../events/routes.js';
import { webhookRoutes } from '../events/webhooks/routes.js';
import { factorRoutes } from '../identity/auth/factors/routes.js';
import { recoveryRoutes } from '../identity/auth/recovery-routes.js';
import { entranceRoutes, personRoutes } from '../identity/auth/routes.js';
import { keyRoutes } from '../identity/keys/routes.js';
import { invitationRoutes, memberRoutes } from '../identity/members/routes.js';
import { organizationRoutes } from '../identity/organizations/routes.js';
import { organizationAdminRoutes } from '../operator/organization-routes.js';
import { releaseRoutes } from '../operator/release-routes.js';
import { attentionRoutes } from '../posts/attention/routes.js';
import { importRoutes } from '../posts/import/routes.js';
import { labelRoutes } from '../posts/labels/routes.js';
import { postRoutes } from '../posts/routes.js';
import { snippetRoutes } from '../posts/snippets/routes.js';
import { dispatchRoutes } from '../publishing/history/routes.js';
import { publishingRoutes } from '../publishing/routes.js';
import type { Server } from '../request/server.js';

const ROUTES: ((server: Server, app: App) => void)[] = [
  postRoutes,
  attentionRoutes,
  labelRoutes,
  snippetRoutes,
  publishingRoutes,
  dispatchRoutes,
  assetRoutes,
  partRoutes,
  (server, app) => importRoutes(server, app, IMPORTED_FILES),
  fetchRoutes,
  analyticsRoutes,
  eventRoutes,
  webhookRoutes,
  auditRoutes,
  accountRoutes,
  keyRoutes,
  organizationRoutes,
  memberRoutes,
  invitationRoutes,
  entranceRoutes,
  recoveryRoutes,
  personRoutes,
  factorRoutes,
  organizationAdminRoutes,
  releaseRoutes,
];

export function apiRoutes(server: Server, app: App): void {
  for (const add of ROUTES) add(server, app);
}

export const NO_APP = new Proxy({} as App, {
  get(_app, name) {
    throw new Error(
      `a route asks for app.${String(name)} when it is registered, and not when a request comes`,
    );
  },
});
