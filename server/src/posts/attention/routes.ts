import type { App } from '../../app/app.js';
import { callerOf } from '../../request/caller.js';
import { pageOf } from '../../request/pagination.js';
import { responses } from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { listAttention } from './attention.js';
import { AttentionRef, MAX_COUNTED, MAX_ROWS } from './schema.js';
import { NEXT_SLOTS } from './will-fail.js';

export function attentionRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/attention',
    {
      schema: {
        operationId: 'listAttention',
        tags: ['Posts'],
        summary: 'List what needs attention, one row per cause, the most urgent first',
        description: `The posts are those of \`GET /api/v1/posts?needs_attention=true\`: one row for each account that must be connected again or is blocked, one for scheduled posts without media, one for each other problem of the next ${NEXT_SLOTS} scheduled posts, one for unknown outcomes, one for drafts whose time has passed, and one for each code with which posts have failed. Rows about posts due within a day come first, then failures, then posts due later. A post with two causes counts in both. Counts are exact up to ${MAX_COUNTED.toLocaleString('en')}, and there are up to ${MAX_ROWS} rows.`,
        response: responses({ 200: pageOf(AttentionRef) }, 'busy'),
      },
    },
    (request) => listAttention(app, callerOf(request)),
  );
}
