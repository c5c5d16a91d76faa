// All posts, or those that a filter selects, as a file; newest first.
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { requireKnownAccount } from '../accounts/accounts.js';
import type { App } from '../app/app.js';
import { byCaller, recordAudit } from '../audit/record.js';
import type { Reader } from '../db/database.js';
import { POST_COLUMNS } from '../db/tables.js';
import type { CallerWithAddress } from '../request/caller.js';
import { exportFormat, sendExport } from '../request/exports.js';
import type { ScanCursor } from './list/index-scans.js';
import { boundsOf } from './list/query.js';
import { ListPosts } from './list/schema.js';
import { presentPost } from './present.js';
import { Post } from './schema.js';

const { status, post_type, social_account_id, created_from, created_to, updated_from, updated_to } =
  ListPosts.properties;

export const ExportPosts = Type.Object(
  {
    ...exportFormat,
    status,
    post_type,
    social_account_id,
    created_from,
    created_to,
    updated_from,
    updated_to,
  },
  { additionalProperties: false },
);
export type ExportPosts = Static<typeof ExportPosts>;

/** What only `include` adds is not part of an export. */
const INCLUDED = ['cover_url', 'cover_video_url', 'readiness', 'failed_at'];
export const EXPORTED_POST_FIELDS = Object.keys(Post.properties).filter((name) => !INCLUDED.includes(name));

const PAGE = 500;

export async function exportPosts(
  app: App,
  caller: CallerWithAddress,
  input: ExportPosts,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { orgId } = caller;
  const accountId = input.social_account_id?.toLowerCase();
  if (accountId !== undefined) await requireKnownAccount(app.db.read, orgId, accountId);
  const { format = 'csv' } = input;
  const pages = (read: Reader) => {
    let behind: ScanCursor | null = null;
    return async () => {
      const rows = await pageBehind(read, orgId, { ...input, social_account_id: accountId }, behind);
      behind = rows.at(-1) ?? behind;
      return rows.map(presentPost);
    };
  };
  const act = { action: 'post.exported', target: { id: orgId, name: null }, details: { format } } as const;
  const record = () => app.db.transact((tx) => recordAudit(app, tx, byCaller(caller), act));
  return sendExport(app, reply, {
    orgId,
    name: 'posts',
    format,
    fields: EXPORTED_POST_FIELDS,
    record,
    pages,
  });
}

function pageBehind(read: Reader, orgId: string, input: Filters, behind: ScanCursor | null) {
  let posts = read.selectFrom('posts').select(POST_COLUMNS).where('org_id', '=', orgId);
  if (input.status) posts = posts.where('status', 'in', input.status.split(',') as never[]);
  if (input.post_type) posts = posts.where('post_type', '=', input.post_type);
  if (input.social_account_id) posts = posts.where('social_account_id', '=', input.social_account_id);
  for (const { column, side, at } of boundsOf(input as ListPosts)) posts = posts.where(column, side, at);
  if (behind !== null)
    posts = posts.where((eb) =>
      eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(behind.created_at, behind.id)),
    );
  return posts.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(PAGE).execute();
}

type Filters = Omit<ExportPosts, 'social_account_id'> & { social_account_id?: string | undefined };
