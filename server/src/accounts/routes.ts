import type { App } from '../app.js';
import { callerOf } from '../http/caller.js';
import { PageParameters, pageOf } from '../http/pagination.js';
import { responses } from '../http/schema.js';
import type { Server } from '../http/server.js';
import { listAccounts } from './accounts.js';
import { SocialAccountRef } from './schema.js';

export function accountRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/social-accounts',
    {
      schema: {
        operationId: 'listSocialAccounts',
        tags: ['Accounts'],
        summary: 'List connected accounts',
        querystring: PageParameters,
        response: responses({ 200: pageOf(SocialAccountRef) }, 'validation_failed'),
      },
    },
    (request) => listAccounts(app, callerOf(request), request.query),
  );
}
