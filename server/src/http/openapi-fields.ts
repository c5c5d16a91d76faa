// What a name means wherever the API uses it, for the fields and parameters whose schema says nothing of its own. One meaning is
// written once; `Post.status` is more exact than `status`.

type Schema = Record<string, unknown>;

export const MEANINGS: Readonly<Record<string, string>> = {
  // In most objects.
  'Release.drafted.scheduled_at': 'The slot',
  'Release.kept.scheduled_at': 'The slot',
  id: 'A UUID; sorts by time of creation',
  '?id': 'The id, as returned when this was created or listed',
  org_id: 'The organization it belongs to',
  post_id: 'The post',
  dispatch_id: 'The attempt to publish',
  social_account_id: 'The account that it was published to',
  name: 'A name, for people',
  title: 'A title, for people',
  description: 'What it is for, in your words',
  created_at: 'When it was created',
  updated_at: 'When it was last changed',
  expires_at: 'When it expires; null: never',
  status: 'The present state',
  role: 'What the member may do: `owner`, `admin`, `editor` or `viewer`',
  email: 'An email address; Airdate does not check who owns it',
  url: 'Where the messages are sent',
  data: 'The result',
  code: 'For programs; never changes',
  // Lists.
  '?page': 'Which page, counted from 1',
  '?per_page': 'Maximum number of entries per page',
  '?limit': 'How many events to return at most',
  '?post_type': 'Only posts of this type',
  '?include': '`post_title` adds the title of each post',
  'Pagination.page': 'This page, counted from 1',
  'Pagination.per_page': 'Maximum number of entries per page',
  'Pagination.total': 'Number of entries on all pages together',
  'Pagination.total_pages': 'How many pages there are',
  // Posts.
  'Post.title': '1 to 500 characters',
  'Post.caption': 'At most 2,200 characters; null: none',
  'Post.hashtags': 'At most 500 characters, as they are written; null: none',
  'Post.status':
    '`publishing` until the outcome of an attempt is known, or has to be resolved; `posted` once the platform has accepted the post',
  post_type: 'A carousel of slides, or one video. It cannot be changed',
  publish_mode: '`direct` publishes the post; `inbox` sends it to the creator, who publishes it in the app',
  'Post.privacy_level': 'Who can see the post; null: not chosen yet',
  'PostCounts.draft': 'How many posts are drafts',
  'PostCounts.scheduled': 'How many posts have a slot',
  'PostCounts.publishing': 'How many posts are being published, or have an unknown outcome',
  'PostCounts.archived': 'How many posts are archived',
  action: '`archive`, or `unarchive` to undo that',
  colour: 'How the dashboard shows the label',
  'Snippet.text': 'What the snippet inserts',
  dry_run: 'Whether the file was only checked',
  // Files.
  object_key: 'The name of the file in the file store; other requests name the file by it',
  filename: 'The name of the file on the computer it comes from',
  content_type: 'The type of the file; the upload must have the same `Content-Type`',
  width: 'In pixels',
  height: 'In pixels',
  '?key_id': 'The id of the key',
  '?upload_id': 'The id of the upload, from the response that began it',
  // Publishing.
  'PublishStatus.status':
    '`processing` until the platform has decided; `unknown`: a person has to look for the post and resolve it',
  fail_reason: "Why it failed: the platform's code, or one of ours; null unless it failed",
  'Preflight.ready': 'True if nothing would be refused',
  'Preflight.problems': 'What would be refused (`error`), changed or left out (`warning`)',
  trigger: 'What began the attempt: a request, the dashboard, the schedule, or a retry of it',
  mode: '`direct` or `inbox`, as it was sent',
  error_code: "Why the attempt failed, or why its outcome is unknown: the platform's code, or one of ours",
  started_at: 'When the attempt began',
  accepted_at: 'When the platform accepted the post; null if it did not',
  finished_at: 'When the outcome was known for good; null until then',
  // Figures.
  'AnalyticsSummary.total_posts': 'All posts, archived ones included',
  'AnalyticsSummary.scheduled': 'Posts that have a slot',
  'AnalyticsSummary.successful_dispatches':
    'Attempts that the platform accepted, and that did not fail afterwards',
  'Timeline.from': 'Where the first day begins',
  'Timeline.to': 'Where the last day ends',
  posts_created: 'Posts that were created on this day',
  started: 'Not answered by the platform yet',
  accepted: 'Accepted, and still being processed by the platform',
  published: 'On the platform',
  in_inbox: "In the creator's inbox",
  failed: 'Refused, or failed later',
  unknown: 'A person has to look for the post and resolve it',
  'Timeline.failures.code': "The platform's code, or one of ours",
  'Timeline.failures.count': 'How many attempts failed with it',
  'Timeline.totals': 'The attempts of all days',
  'Timeline.totals.dispatches': 'All attempts',
  'Timeline.totals.successful': 'Those that are accepted, published or in the inbox',
  // Events, webhooks and the audit log.
  'WebhookDelivery.type': 'The type of the event',
  'WebhookDelivery.attempt_count': 'How many attempts were made',
  at: 'When it happened',
  disabled_at: 'Since when no more events are sent; null while the webhook is enabled',
  '?delivery_id': 'Id of the delivery',
  'AuditEntry.actor.kind': 'Who did it',
  'AuditEntry.target': 'What it was done to',
  'AuditEntry.target.kind': 'What kind of thing that is',
  'AuditEntry.details': 'What else is known about it, by the action',
  post_title: 'The title of the post at that time',
  // Accounts.
  username: "The account's name on the platform",
  display_name: 'The name that viewers see; null if the platform gives none',
  'SocialAccount.status':
    '`reconnect_required`: its owner has to connect it again before anything is published',
  default_mode: 'The mode that the dashboard fills in; null: none',
  post_types: 'The types of posts that the account can publish',
  modes: 'The modes that it offers',
  toggles: 'The toggles that it supports',
  nickname: 'The name that viewers see',
  avatar_url: "The platform's own URL of the picture",
  privacy_level_options: 'What `privacy_level` may be for this account, now',
  comment_disabled: 'True if the account does not allow comments',
  duet_disabled: 'True if the account does not allow duets',
  stitch_disabled: 'True if the account does not allow stitches',
  max_video_post_duration_sec: 'How long a video may be, in seconds',
  // Keys, people and organizations.
  prefix: 'The first characters of the key, to tell keys apart',
  plan: 'What the organization may use, and how much of it',
  trial_ends_at: 'When the trial ends; null: there is none',
  in_trial: 'Whether the trial is running: it includes everything',
  'Me.scopes': 'What the caller may do',
  via: 'Whether the caller used a key or a session',
  key_id: 'Id of the key; null for a session',
  'Me.user.name': 'The name of the person',
  has_password: 'Whether the person has set a password',
  has_second_factor: 'Whether sign-in asks the person for a code of their authenticator app',
  'Me.role': 'Of the person; null for a key',
  'Me.platform': 'The platform that this installation publishes to',
  quotas: 'Limits of the organization, and what it uses of them',
  is_you: 'Whether this is the caller',
  joined_at: 'When they joined the organization',
  organization_name: 'The name of the organization',
  password: 'The password of the person',
  current_password: 'The current password; leave it out if there is none yet',
  signed_in: 'Whether the request has a session',
  'Factor.name': 'The name that the person gave it',
  'NewFactor.name': 'The name that the person gave it',
  user_agent: 'What the browser calls itself',
  ip: 'Where the session was last used from',
  // Problems, and the service.
  'Problem.title': 'What kind of problem it is, for people; the same for every problem with this `code`',
  'Problem.status': 'The HTTP status',
  'Problem.request_id': 'Also in the log of the service: quote it when you ask for help',
  'Problem.errors.message': 'What is wrong with the field',
  problem: 'Why this one was refused; it is unchanged',
  safe_mode_reason: 'Why nothing is published, for people; null unless the service is in safe mode',
  '?code': 'A code of a problem',
};

export interface Describable {
  paths?: object | undefined;
  components?: object | undefined;
}

/** Fills in what the schemas leave open. */
export function describeFields<T extends Describable>(document: T): T {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  for (const [name, schema] of Object.entries(schemas)) describe(schema, name);
  for (const path of Object.values(document.paths ?? {}) as Schema[])
    for (const operation of Object.values(path) as Operation[]) {
      for (const parameter of operation.parameters ?? [])
        parameter.description ??= meaningOf('', `?${parameter.name}`);
      for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)])
        for (const { schema } of Object.values(content)) if (schema) describe(schema, '');
    }
  return document;

  function describe(schema: Schema, where: string): void {
    const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema as Parts;
    for (const [name, field] of Object.entries(properties)) {
      if (field.$ref === undefined) field.description ??= meaningOf(where, name);
      describe(field, `${where}.${name}`);
    }
    for (const part of [...(items ? [items] : []), ...anyOf, ...oneOf, ...allOf]) describe(part, where);
  }
}

const meaningOf = (where: string, name: string): string | undefined =>
  MEANINGS[`${where}.${name}`] ?? MEANINGS[name];

interface Parts {
  properties?: Record<string, Schema & { $ref?: string; description?: string | undefined }>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Operation {
  parameters?: { name: string; description?: string | undefined }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}
