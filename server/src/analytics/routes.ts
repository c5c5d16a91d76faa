import type { App } from '../app.js';
import { callerOf } from '../http/caller.js';
import { one, responses } from '../http/schema.js';
import type { Server } from '../http/server.js';
import { summarize } from './analytics.js';
import { AnalyticsSummaryRef } from './schema.js';

export function analyticsRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/analytics',
    {
      schema: {
        operationId: 'getAnalytics',
        tags: ['Analytics'],
        summary: 'Counts of posts and publish attempts',
        description: 'On the Growth and Agency plans and during the free trial; 403 otherwise.',
        response: responses({ 200: one(AnalyticsSummaryRef) }, 'plan_required'),
      },
    },
    async (request) => ({ data: await summarize(app, callerOf(request)) }),
  );
}
