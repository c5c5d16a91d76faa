// Tools that only read.
import { type Static, Type } from 'typebox';
import { getCreatorOptions, listAccounts } from '../../accounts/accounts.js';
import { CreatorOptions, SocialAccountRef } from '../../accounts/schema.js';
import { summarize } from '../../analytics/analytics.js';
import { AnalyticsSummaryRef } from '../../analytics/schema.js';
import type { App } from '../../app/app.js';
import { listAssets } from '../../assets/assets.js';
import { Asset, AssetList } from '../../assets/schema.js';
import { invalid } from '../../core/problems.js';
import { listEvents } from '../../events/events.js';
import { EventRef, ListEvents } from '../../events/schema.js';
import { listLabels } from '../../posts/labels/labels.js';
import { Label, ListLabels } from '../../posts/labels/schema.js';
import { listPosts, showPost } from '../../posts/list/list.js';
import { ListPosts } from '../../posts/list/schema.js';
import { finding } from '../../posts/readiness/findings.js';
import { Post, PostRef } from '../../posts/schema.js';
import { listDispatches, listDispatchesOf } from '../../publishing/history/dispatches.js';
import { DispatchRef, ListDispatches } from '../../publishing/history/schema.js';
import type { Caller } from '../../request/caller.js';
import { PageParameters } from '../../request/pagination.js';
import { nullable, timestamp, uuid } from '../../request/schema.js';
import { ASK_TO_REMOVE, OUTCOME_UNKNOWN } from './next-steps.js';
import { ASKS_PLATFORM, postId, READS, tool } from './tool.js';

/** Signed URLs are long, and one of each file is enough. */
const { thumbnail_url: _thumbnail, ...file } = Asset.properties;
const { cursor: _cursor, include: _include, ...filters } = ListPosts.properties;
const { created_at: _created, ...label } = Label.properties;

/** A page of whole posts would fill the context of a model with texts and options of posts that it does not choose. */
const { id, title, status, scheduled_at, social_account_id, labels } = Post.properties;
const ListedPost = Type.Object({
  id,
  title,
  status,
  scheduled_at,
  social_account_id,
  readiness: nullable(Type.String()),
  labels,
  in_inbox: Type.Optional(Type.Literal(true)),
  posted_at: Type.Optional(timestamp()),
  failed_at: Type.Optional(timestamp()),
});

export const accountsList = tool({
  name: 'accounts_list',
  title: 'List accounts',
  description:
    'Lists the connected accounts of the organization, and tells the present time (now, in UTC), as all lists do. An account whose status is reconnect_required cannot publish until a person reconnects it in the dashboard. One with blocked_until is refused by the platform until about then: schedule its posts, and they wait.',
  scopes: ['posts:read'],
  annotations: READS,
  input: PageParameters,
  output: Type.Array(SocialAccountRef),
  list: 'pages',
  run: ({ app, caller }, input) => listAccounts(app, caller, input),
});

export const accountOptions = tool({
  name: 'account_options',
  title: 'Get the options of an account',
  description:
    'Asks the platform what the account may do now: which privacy levels it offers, which interactions are disabled, how long a video may be. Call it before you choose privacy_level. Tells the present time too (now, in UTC).',
  scopes: ['posts:read'],
  annotations: ASKS_PLATFORM,
  input: Type.Object({ social_account_id: uuid('Id of the account') }, { additionalProperties: false }),
  output: Type.Object(CreatorOptions.properties),
  tellsTime: true,
  run: async ({ app, caller }, { social_account_id }) => ({
    data: await getCreatorOptions(app, caller, social_account_id),
  }),
});

export const labelsList = tool({
  name: 'labels_list',
  title: 'List labels',
  description:
    'Lists the labels of the organization by name, with their ids: post_create and post_update take them in labels, posts_list in label. No tool creates a label: ask the person to do it in the dashboard.',
  scopes: ['posts:read'],
  annotations: READS,
  input: ListLabels,
  output: Type.Array(Type.Object(label)),
  list: 'pages',
  async run({ app, caller }, input) {
    const { data, pagination } = await listLabels(app, caller, input);
    return { data: data.map(({ created_at: _at, ...label }) => label), pagination };
  },
});

export const postsList = tool({
  name: 'posts_list',
  title: 'List posts',
  description:
    'Lists posts, newest first unless sorted otherwise, with what it takes to choose one: post_get tells the rest, such as its text and all its problems. label takes an id of labels_list. readiness of a draft or scheduled post is ready, or the code of the most urgent problem that keeps it from going out; outcome_unknown means that the post may be on the platform: post_status tells more, and it must not be published again. With needs_attention it finds posts that failed (failed_at), whose outcome is unknown, or that have a problem before their slot. A post with in_inbox is a draft in the inbox of its account, although its status is posted: its creator has not posted it yet.',
  scopes: ['posts:read'],
  annotations: READS,
  input: Type.Object(filters, { additionalProperties: false }),
  output: Type.Array(ListedPost),
  list: 'pages',
  async run({ app, caller }, input) {
    const { data, pagination } = await listPosts(app, caller, { ...input, include: 'readiness' });
    const unknown = await withUnknownOutcome(app, caller, data);
    return { data: data.map((post) => listed(post, unknown.has(post.id))), pagination };
  },
});

/** Those that are neither under way nor over. Few posts are being published at a time, so most pages need no statement. */
async function withUnknownOutcome({ db }: App, { orgId }: Caller, posts: Post[]): Promise<Set<string>> {
  const ids = posts.filter(({ status }) => status === 'publishing').map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const rows = await db.read
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .where('last_outcome', '=', 'unknown')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

const listed = (post: Post, isUnknown: boolean): Static<typeof ListedPost> => ({
  id: post.id,
  title: post.title,
  status: post.status,
  scheduled_at: post.scheduled_at,
  social_account_id: post.social_account_id,
  readiness: isUnknown ? OUTCOME_UNKNOWN : inAWord(readinessForTools(post)),
  labels: post.labels,
  ...(post.in_inbox ? { in_inbox: true } : {}),
  ...(post.posted_at ? { posted_at: post.posted_at } : {}),
  ...(post.failed_at ? { failed_at: post.failed_at } : {}),
});

function inAWord(readiness: Post['readiness']): string | null {
  if (!readiness) return null;
  return readiness.problems.find(({ level }) => level === 'error')?.code ?? 'ready';
}

/**
 * The API leaves out the privacy level of a draft, because every publish request names one. Here it is taken from the post: a draft without
 * it is not ready.
 */
function readinessForTools({ status, privacy_level, readiness }: Post): Post['readiness'] {
  if (!readiness || status !== 'draft' || privacy_level !== null) return readiness;
  return { ready: false, problems: [...readiness.problems, NO_PRIVACY_LEVEL] };
}

const NO_PRIVACY_LEVEL = finding('privacy_level_missing', 'Choose who can see the post.', 'privacy_level');

export const postGet = tool({
  name: 'post_get',
  title: 'Get a post',
  description:
    'Returns a post with its files, and what it still needs before it can go out (readiness). The URLs of files are valid for an hour.',
  scopes: ['posts:read'],
  annotations: READS,
  input: Type.Object({ post_id: postId }, { additionalProperties: false }),
  output: Type.Object({
    post: PostRef,
    files: Type.Array(Type.Object(file)),
    pending: AssetList.properties.pending,
    rejected: AssetList.properties.rejected,
  }),
  async run({ app, caller }, { post_id }) {
    // First, because it also finds files that have just arrived.
    const { data, pending, rejected } = await listAssets(app, caller, post_id);
    const files = data.map(({ thumbnail_url: _url, ...file }) => file);
    const { post } = await showPost(app, caller, post_id, { include: 'readiness' });
    const isAwaited = ({ origin }: { origin: string }) => origin === 'address';
    const steps = [
      ...(pending.some(isAwaited) ? [STILL_FETCHED] : []),
      ...(rejected.some(isAwaited) ? [REJECTED] : []),
    ];
    return {
      data: { post: { ...post, readiness: readinessForTools(post) }, files, pending, rejected },
      ...(steps.length > 0 ? { next: steps.join(' ') } : {}),
    };
  },
});

const STILL_FETCHED =
  'Files in pending are still being fetched: call post_get again in some seconds. If one stays there for minutes, ask the person whether its address is right.';
const REJECTED = `A file that could not be fetched keeps the post from going out. ${ASK_TO_REMOVE}`;

export const dispatchesList = tool({
  name: 'dispatches_list',
  title: 'List publish attempts',
  description:
    'Lists the attempts to publish posts, newest first: when, what became of each, and why (error_message). To learn what went wrong on a day, send outcome failed,unknown with from and to. post_id alone lists those of one post. Posts that failed before anything was sent are not here: posts_list with needs_attention finds them.',
  scopes: ['posts:read'],
  annotations: READS,
  input: Type.Object(
    { post_id: Type.Optional(postId), ...ListDispatches.properties },
    { additionalProperties: false },
  ),
  output: Type.Array(DispatchRef),
  list: 'pages',
  run({ app, caller }, { post_id, ...input }) {
    if (post_id === undefined) return listDispatches(app, caller, input);
    const { page: _page, per_page: _perPage, ...filters } = input;
    const others = Object.keys(filters);
    if (others.length > 0)
      throw invalid(
        others.map((name) => ({ pointer: `/${name}`, message: 'cannot be combined with post_id' })),
      );
    return listDispatchesOf(app, caller, post_id, input);
  },
});

export const analyticsSummary = tool({
  name: 'analytics_summary',
  title: 'Get counts',
  description:
    'Counts posts and publish attempts, with the success rate. Available on the Growth and Agency plans and during the trial.',
  scopes: ['analytics:read'],
  annotations: READS,
  input: Type.Object({}, { additionalProperties: false }),
  output: AnalyticsSummaryRef,
  run: async ({ app, caller }) => ({ data: await summarize(app, caller) }),
});

export const eventsList = tool({
  name: 'events_list',
  title: 'List events',
  description:
    'Lists what happened to posts and accounts in the last 30 days, oldest first, for following on; dispatches_list finds what failed on a day. Send the id of the last event as after to continue while has_more is true. If gap is true, events after that id have expired: read posts and accounts again.',
  scopes: ['posts:read'],
  annotations: READS,
  input: ListEvents,
  output: Type.Array(EventRef),
  list: 'stream',
  run: ({ app, caller }, input) => listEvents(app, caller, input),
});
