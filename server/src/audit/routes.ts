import type { App } from '../app/app.js';
import { callerOf } from '../request/caller.js';
import { pageOf } from '../request/pagination.js';
import { responses } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { listAudit } from './list.js';
import { AuditEntryRef, ListAudit } from './schema.js';

export function auditRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/audit',
    {
      schema: {
        operationId: 'listAudit',
        tags: ['Audit'],
        summary: 'List the actions in the organization, newest first',
        description:
          'Sign-ins, keys, members, invitations, accounts, plans, publishing and deletions, each with actor, address and target. Entries are kept for a year, or for the time that the operator has set (AUDIT_DAYS).\n\nYou can page through the newest 10,000 matching entries, and `total` stops there. If you combine filters by actor, action and target, they are checked on the newest 10,000 entries of the first of these that you give: target_id, actor_id, action or target_kind. `from` and `to` reach further back.',
        querystring: ListAudit,
        response: responses({ 200: pageOf(AuditEntryRef) }, 'busy'),
      },
    },
    (request) => listAudit(app, callerOf(request), request.query),
  );
}
