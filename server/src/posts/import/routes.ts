import type { App } from '../../app/app.js';
import { callerWithAddressOf } from '../../request/caller.js';
import { idempotentWithPrepare } from '../../request/idempotency.js';
import { responsesToBody } from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { whenGone } from '../../request/when-gone.js';
import { admitImport } from './admission.js';
import { MAX_CELL, MAX_COLUMNS } from './csv.js';
import type { ImportedFiles } from './files.js';
import { finishImport, prepareImport } from './import.js';
import { ImportPosts, ImportResult, MAX_IMPORT, MAX_LINES, MAX_MEDIA, MAX_PROBLEMS } from './schema.js';

export function importRoutes(server: Server, app: App, files: ImportedFiles): void {
  server.post(
    '/api/v1/posts/import',
    {
      bodyLimit: MAX_IMPORT,
      preParsing: async (request, reply) => admitImport(app, request, reply),
      schema: {
        operationId: 'importPosts',
        tags: ['Posts'],
        summary: 'Create posts from a CSV file, or check the file',
        description: DESCRIPTION,
        body: ImportPosts,
        response: responsesToBody(
          { 200: ImportResult },
          'request_timeout',
          'name_taken',
          'limit_reached',
          'quota_exceeded',
          'busy',
        ),
      },
    },
    (request, reply) => {
      const caller = callerWithAddressOf(request);
      const gone = whenGone(reply);
      const run = () =>
        idempotentWithPrepare(app, request, reply, {
          prepare: () => prepareImport(app, caller, request.body, files, gone),
          work: async (tx, found) => ({
            status: 200,
            body: { data: await finishImport(app, tx, caller, request.body, files, found) },
          }),
          discard: async () => {},
        });
      // One whose client is gone leaves the queue: its capacity was given to the next.
      return app.queues.importPosts(caller.orgId, run, { signal: gone });
    },
  );
}

const DESCRIPTION = `All lines become posts, or none: the whole file is checked first. With \`dry_run\`, the response lists every problem by line and column, and nothing is created; without it, a file with a problem gets 400, which names the first 100 problems. A body may have up to 5 MB, and the file up to ${MAX_LINES} lines after its header, ${MAX_COLUMNS} columns and ${MAX_CELL} characters in a cell; the response lists at most ${MAX_PROBLEMS} problems and counts all of them. What lines lack alike is told once for the whole file, with the \`parameter\` that answers it, if there is one.

The first line names the columns, in any order; only \`title\` is required, and an unknown name is a problem. An empty cell means that the field is not set. Cells are separated by commas, semicolons or tabs, and may be quoted.

| Column | Content |
|---|---|
| \`title\` | 1 to 500 characters |
| \`post_type\` | \`slides\` (default) or \`video\` |
| \`caption\`, \`hashtags\` | text |
| \`media_urls\` | URLs of the files, separated by spaces: up to 35 slides in order, or one video; a worker fetches them as by \`POST /posts/:id/assets/import\`; at most ${MAX_MEDIA} in one file |
| \`status\` | \`draft\` (default) or \`scheduled\`; for lines with a time and no status, send \`default_status\` |
| \`scheduled_at\` | \`2030-12-01 18:00\` in \`time_zone\`, or with an offset, such as \`2030-12-01T18:00:00Z\`. A local time that clocks skip or show twice is a problem, which says what to write instead. |
| \`account\` | user name of a connected account; instead of it \`social_account_id\` |
| \`privacy_level\`, \`publish_mode\` | as in a request for one post |
| \`disable_comment\`, \`disable_duet\`, \`disable_stitch\`, \`brand_content_toggle\`, \`brand_organic_toggle\` | \`true\` or \`false\` (default) |
| \`labels\` | names or ids of labels, separated by commas or semicolons; with \`create_labels\`, names that are not labels yet become labels |
| \`cover_index\`, \`cover_ms\` | as in a request for one post |

Columns that only an export has (\`id\`, \`org_id\`, \`last_slot\`, \`posted_at\`, \`publish_retries\`, \`last_publish_error\`, \`created_at\`, \`updated_at\`) are ignored, and the apostrophes that an export puts before what a spreadsheet would take for a formula are removed, so every text comes back as it was.

Scheduled lines require the scope \`posts:publish\` in addition to \`posts:write\`. The posts count towards the quota of posts per day. The response is 503 \`busy\` while other imports are in progress. Search finds the new posts a moment later. Files of the earliest slots are fetched first; \`fetch.done_by\` estimates when all of them will have arrived. A post is not published without its files.`;
