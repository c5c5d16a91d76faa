import type { App } from '../app/app.js';
import { callerOf } from '../request/caller.js';
import { replyFromCache } from '../request/response-cache.js';
import { dataEnvelope, responses } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { assertIncludesAnalytics, summarize } from './analytics.js';
import { AnalyticsSummaryRef, AskTimeline, TimelineRef } from './schema.js';
import { getTimeline } from './timeline.js';

export function analyticsRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/analytics',
    {
      schema: {
        operationId: 'getAnalytics',
        tags: ['Analytics'],
        summary: 'Get counts of posts and publish attempts',
        description: 'Available on the Growth and Agency plans and during the free trial; 403 otherwise.',
        response: responses({ 200: dataEnvelope(AnalyticsSummaryRef) }, 'plan_required'),
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      // Every time: a trial may end while the bytes are still the same.
      assertIncludesAnalytics(app, caller);
      return replyFromCache(app, request, reply, async () => ({
        body: { data: await summarize(app, caller) },
      }));
    },
  );

  server.get(
    '/api/v1/analytics/timeline',
    {
      schema: {
        operationId: 'getTimeline',
        tags: ['Analytics'],
        summary: 'Get counts per day, with failures and lateness',
        description:
          'Days are those of `time_zone`, UTC by default. The range is at most 366 days. Available on the Growth and Agency plans and during the free trial; 403 otherwise.',
        querystring: AskTimeline,
        response: responses({ 200: dataEnvelope(TimelineRef) }, 'plan_required', 'busy'),
      },
    },
    async (request) => ({ data: await getTimeline(app, callerOf(request), request.query) }),
  );
}
