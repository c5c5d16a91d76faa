import { Type } from 'typebox';
import type { App } from '../../api/app.js';
import { actingCallerOf, callerOf } from '../../api/caller.js';
import { idempotent, idempotentInTwoSteps } from '../../api/idempotency.js';
import { responsesToBody, WithId } from '../../api/schema.js';
import type { Server } from '../../api/server.js';
import { admitImport, importInTurn } from '../../posts/import/line.js';
import {
  ImportPosts,
  ImportResult,
  LONGEST_IMPORT,
  MOST_LINES,
  MOST_MEDIA,
  MOST_PROBLEMS,
} from '../../posts/import/schema.js';
import { ImportAsset, PendingAsset } from '../schema.js';
import { finishImport, prepareImport } from './import-posts.js';
import { importAsset } from './request.js';

export function importRoutes(server: Server, app: App): void {
  server.post(
    '/api/v1/posts/import',
    {
      bodyLimit: LONGEST_IMPORT,
      preParsing: async (request, reply) => admitImport(app, request, reply),
      schema: {
        operationId: 'importPosts',
        tags: ['Posts'],
        summary: 'Create posts from a CSV file, or check the file',
        description: IMPORT_DESCRIPTION,
        body: ImportPosts,
        response: responsesToBody({ 200: ImportResult }, 'quota_exceeded', 'busy'),
      },
    },
    (request, reply) => {
      const caller = actingCallerOf(request);
      return importInTurn(app, caller.orgId, () =>
        idempotentInTwoSteps(app, request, reply, {
          prepare: () => prepareImport(app, caller, request.body),
          work: async (tx, found) => ({
            status: 200,
            body: { data: await finishImport(app, tx, caller, request.body, found) },
          }),
          discard: async () => {},
        }),
      );
    },
  );

  server.post(
    '/api/v1/posts/:id/assets/import',
    {
      schema: {
        operationId: 'importAsset',
        tags: ['Assets'],
        summary: 'Add a slide or the video from a web address',
        description: ASSET_DESCRIPTION,
        params: WithId,
        body: ImportAsset,
        response: responsesToBody(
          { 202: Type.Object({ data: PendingAsset }, { description: 'The file is being fetched' }) },
          'not_found',
          'wrong_state',
          'video_exists',
          'too_many_slides',
          'quota_exceeded',
        ),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 202,
        body: { data: await importAsset(app, tx, callerOf(request), request.params.id, request.body) },
      })),
  );
}

const ASSET_DESCRIPTION =
  'A worker fetches the file and inspects it like an upload, with the same limits; its type is read from its bytes, whatever the name says, and decides the extension of `object_key`. Until then it is in `pending` of the list of assets and reserves its place, for up to 24 hours. A file that cannot be fetched in three tries, or is refused, is in `rejected` with the reason, and nothing of it is kept. Only public addresses are fetched, over https, and those that the operator allows (`WEBHOOK_ALLOW`). For a scheduled post, this requires the scope `posts:publish` in addition to `posts:write`.';

const IMPORT_DESCRIPTION = `All lines become posts, or none: the whole file is checked first. With \`dry_run\` the response has every problem by line and column, and nothing is created; without it a file with a problem is refused with 400, naming the first 100. A body may have 5 MB, and the file ${MOST_LINES} lines after its header; the response lists at most ${MOST_PROBLEMS} problems and counts all.

The first line names the columns, in any order; only \`title\` is required, and an unknown name is refused. An empty cell is a field that is not given. Cells are separated by commas, semicolons or tabs, and may be quoted.

| Column | Content |
|---|---|
| \`title\` | 1 to 500 characters |
| \`post_type\` | \`slides\` (default) or \`video\` |
| \`caption\`, \`hashtags\` | text |
| \`media_urls\` | web addresses of the files, separated by spaces: up to 35 slides in order, or one video; a worker fetches them as by \`POST /posts/:id/assets/import\`; at most ${MOST_MEDIA} in one file |
| \`status\` | \`draft\` (default) or \`scheduled\`; required with \`scheduled_at\` |
| \`scheduled_at\` | \`2026-12-01 18:00\` in \`time_zone\`, or with an offset, such as \`2026-12-01T18:00:00Z\`. Of a local time that occurs twice, the first is meant; one that does not exist is refused. |
| \`account\` | user name of a connected account; instead of it \`social_account_id\` |
| \`privacy_level\`, \`publish_mode\` | as in a request for one post |
| \`disable_comment\`, \`disable_duet\`, \`disable_stitch\`, \`brand_content_toggle\`, \`brand_organic_toggle\` | \`true\` or \`false\` (default) |
| \`labels\` | names or ids of labels, separated by commas or semicolons |
| \`cover_index\`, \`cover_ms\` | as in a request for one post |

Columns that only an export has (\`id\`, \`org_id\`, \`last_slot\`, \`posted_at\`, \`publish_retries\`, \`last_publish_error\`, \`created_at\`, \`updated_at\`) are ignored, and the apostrophe that an export puts before \`=\`, \`+\`, \`-\`, \`@\`, tab and carriage return is removed.

Scheduled lines require the scope \`posts:publish\` in addition to \`posts:write\`. The posts count in the quota of posts a day. 503 \`busy\` while other imports are in progress. The search finds the new posts a moment later.`;
