-- Made from the migrations by `npm run schema`, for reading. The migrations are what is executed.

CREATE TABLE api_keys (
  org_id text not null references organizations (id),
  id text not null,
  name text not null,
  hash text not null unique,
  prefix text not null,
  scopes text not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  created_at bigint not null,
  created_by text,
  made_with text,
  networks text,
  last_used_network text,
  primary key (org_id, id)
);

CREATE INDEX api_keys_by_key on api_keys (org_id, made_with) where made_with is not null;

CREATE INDEX api_keys_by_maker on api_keys (org_id, created_by) where created_by is not null;

CREATE INDEX api_keys_in_use on api_keys (org_id, expires_at) where revoked_at is null;

CREATE TABLE asset_sources (
  org_id text not null,
  asset_id text not null,
  url text not null,
  tries smallint not null,
  fence integer not null default 0,
  fetch_at bigint not null,
  needed_at bigint not null default 9007199254740991,
  primary key (org_id, asset_id),
  foreign key (org_id, asset_id) references assets (org_id, id) on delete cascade
);

CREATE INDEX asset_sources_by_need on asset_sources (org_id, needed_at, asset_id);

CREATE INDEX asset_sources_to_fetch on asset_sources (fetch_at);

CREATE TRIGGER source_added after insert on asset_sources for each row
  begin
  update assets set is_fetched = 1
  where org_id = new.org_id and id = new.asset_id and is_fetched = 0;
  end;

CREATE TABLE assets (
  org_id text not null,
  id text not null,
  post_id text not null,
  kind text not null check (kind in ('slide', 'video')),
  state text not null check (state in ('pending', 'ready', 'rejected')),
  object_key text not null unique,
  filename text not null,
  content_type text not null,
  announced_length bigint,
  position integer not null,
  expires_at bigint not null,
  size bigint,
  width integer,
  height integer,
  duration_ms bigint,
  codec text,
  has_thumbnail smallint not null default 0 check (has_thumbnail in (0, 1)),
  inspection_failures smallint not null default 0,
  reason text,
  created_at bigint not null,
  settled_at bigint,
  may_change_scheduled integer not null default 1,
  part_size integer,
  store_upload text,
  is_fetched smallint not null default 0,
  inspection_began_at bigint,
  primary key (org_id, id),
  foreign key (org_id, post_id) references posts (org_id, id)
);

CREATE INDEX assets_by_post on assets (org_id, post_id, position, id);

CREATE INDEX assets_fetched_in_vain on assets (org_id, post_id) where state = 'rejected' and is_fetched = 1;

CREATE INDEX assets_pending on assets (expires_at) where state = 'pending';

CREATE INDEX assets_rejected on assets (settled_at) where state = 'rejected';

CREATE UNIQUE INDEX one_video_per_post on assets (org_id, post_id) where kind = 'video' and state = 'ready';

CREATE TRIGGER assets_bytes_delete after delete on assets for each row when -(case old.state when 'ready' then coalesce(old.size, 0) when 'pending' then coalesce(old.announced_length, old.size, 0) else 0 end) <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (old.org_id, 'files', -(case old.state when 'ready' then coalesce(old.size, 0) when 'pending' then coalesce(old.announced_length, old.size, 0) else 0 end))
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TRIGGER assets_bytes_insert after insert on assets for each row when case new.state when 'ready' then coalesce(new.size, 0) when 'pending' then coalesce(new.announced_length, new.size, 0) else 0 end <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (new.org_id, 'files', case new.state when 'ready' then coalesce(new.size, 0) when 'pending' then coalesce(new.announced_length, new.size, 0) else 0 end)
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TRIGGER assets_bytes_update after update of state, size, announced_length on assets for each row when (case new.state when 'ready' then coalesce(new.size, 0) when 'pending' then coalesce(new.announced_length, new.size, 0) else 0 end) - (case old.state when 'ready' then coalesce(old.size, 0) when 'pending' then coalesce(old.announced_length, old.size, 0) else 0 end) <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (new.org_id, 'files', (case new.state when 'ready' then coalesce(new.size, 0) when 'pending' then coalesce(new.announced_length, new.size, 0) else 0 end) - (case old.state when 'ready' then coalesce(old.size, 0) when 'pending' then coalesce(old.announced_length, old.size, 0) else 0 end))
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TRIGGER media_gained_insert after insert on assets for each row when new.state = 'ready'
  begin
  update booked_slots set has_media = 1 where org_id = new.org_id and post_id = new.post_id and has_media = 0;
  end;

CREATE TRIGGER media_gained_update after update of state on assets for each row when new.state = 'ready' and old.state <> 'ready'
  begin
  update booked_slots set has_media = 1 where org_id = new.org_id and post_id = new.post_id and has_media = 0;
  end;

CREATE TRIGGER media_lost_delete after delete on assets for each row when old.state = 'ready'
  begin
  update booked_slots set has_media = case when exists (select 1 from assets where assets.org_id = old.org_id and assets.post_id = old.post_id and assets.state = 'ready') then 1 else 0 end
  where org_id = old.org_id and post_id = old.post_id and has_media = 1;
  end;

CREATE TRIGGER media_lost_update after update of state on assets for each row when old.state = 'ready' and new.state <> 'ready'
  begin
  update booked_slots set has_media = case when exists (select 1 from assets where assets.org_id = old.org_id and assets.post_id = old.post_id and assets.state = 'ready') then 1 else 0 end
  where org_id = old.org_id and post_id = old.post_id and has_media = 1;
  end;

CREATE TABLE audit (
  id text primary key,
  org_id text references organizations (id),
  at bigint not null,
  actor_kind text not null check (actor_kind in ('person', 'key', 'operator', 'platform', 'system')),
  actor_id text,
  actor_name text not null,
  address text,
  action text not null,
  target_kind text not null,
  target_id text,
  target_name text,
  details text,
  minute bigint,
  n integer not null default 1
);

CREATE INDEX audit_by_action on audit (org_id, action, id);

CREATE INDEX audit_by_actor on audit (org_id, actor_id, id) where actor_id is not null;

CREATE INDEX audit_by_actor_kind on audit (org_id, actor_kind, id);

CREATE INDEX audit_by_organization on audit (org_id, id);

CREATE INDEX audit_by_target on audit (org_id, target_id, id) where target_id is not null;

CREATE UNIQUE INDEX audit_failed_sign_ins on audit (org_id, target_id, address, minute) where minute is not null;

CREATE TABLE booked_slots (
  org_id text not null,
  post_id text not null,
  scheduled_at bigint not null,
  has_media smallint not null check (has_media in (0, 1)),
  check_at bigint,
  primary key (org_id, post_id)
);

CREATE INDEX booked_slots_to_check on booked_slots (check_at) where check_at is not null;

CREATE INDEX booked_slots_without_media on booked_slots (org_id, scheduled_at, post_id) where has_media = 0;

CREATE TRIGGER files_needed_insert after insert on booked_slots for each row
  begin
  update asset_sources set needed_at = new.scheduled_at
  where org_id = new.org_id and asset_id in
  (select id from assets where assets.org_id = new.org_id and assets.post_id = new.post_id and assets.state = 'pending');
  end;

CREATE TRIGGER files_needed_update after update of scheduled_at on booked_slots for each row when old.scheduled_at <> new.scheduled_at
  begin
  update asset_sources set needed_at = new.scheduled_at
  where org_id = new.org_id and asset_id in
  (select id from assets where assets.org_id = new.org_id and assets.post_id = new.post_id and assets.state = 'pending');
  end;

CREATE TRIGGER files_not_needed after delete on booked_slots for each row
  begin
  update asset_sources set needed_at = 9007199254740991
  where org_id = old.org_id and asset_id in
  (select id from assets where assets.org_id = old.org_id and assets.post_id = old.post_id and assets.state = 'pending');
  end;

CREATE TABLE daily_post_counts (
  org_id text primary key references organizations (id),
  day integer not null,
  n bigint not null
);

CREATE TABLE dispatch_counters (
  org_id text not null references organizations (id),
  outcome text not null,
  n bigint not null,
  primary key (org_id, outcome)
);

CREATE TABLE dispatches (
  org_id text not null,
  id text not null,
  post_id text not null,
  social_account_id text not null,
  trigger_kind text not null check (trigger_kind in ('api', 'dashboard', 'schedule', 'retry')),
  attempt integer not null,
  mode text not null check (mode in ('direct', 'inbox')),
  outcome text not null check (outcome in
  ('started', 'accepted', 'published', 'in_inbox', 'failed', 'unknown')),
  phase text not null check (phase in ('sending', 'transferring', 'observing', 'done')),
  publish_id text,
  social_status text,
  post_url text,
  failure text check (failure in ('retryable', 'refused', 'reauthorize', 'unknown')),
  error_code text,
  error_message text,
  retry_after_ms bigint,
  scheduled_for bigint,
  started_at bigint not null,
  accepted_at bigint,
  finished_at bigint,
  checked_at bigint,
  continued_by text,
  snapshot text not null,
  nonce text unique,
  fetched_at bigint,
  revoked_at bigint,
  upload text,
  sent_at bigint,
  fence integer not null default 1,
  lease_until bigint,
  next_at bigint,
  checks integer not null default 0,
  platform text not null default 'tiktok',
  submission_ref text,
  platform_post_id text,
  primary key (org_id, id),
  foreign key (org_id, post_id) references posts (org_id, id),
  foreign key (org_id, social_account_id) references social_accounts (org_id, id)
);

CREATE INDEX dispatches_by_account on dispatches (org_id, social_account_id, started_at, id);

CREATE INDEX dispatches_by_day on dispatches (org_id, started_at, outcome, scheduled_for, error_code);

CREATE INDEX dispatches_by_outcome on dispatches (org_id, outcome, started_at, id);

CREATE INDEX dispatches_by_post on dispatches (org_id, post_id, attempt);

CREATE INDEX dispatches_by_publish_id on dispatches (publish_id) where publish_id is not null;

CREATE INDEX dispatches_by_reason on dispatches (org_id, error_code, started_at, id) where error_code is not null;

CREATE INDEX dispatches_by_time on dispatches (org_id, started_at, id);

CREATE INDEX dispatches_by_trigger on dispatches (org_id, trigger_kind, started_at, id);

CREATE INDEX dispatches_next on dispatches (next_at, phase, org_id) where next_at is not null;

CREATE INDEX dispatches_next_by_organization on dispatches (phase, org_id, next_at) where next_at is not null;

CREATE INDEX dispatches_unknown on dispatches (org_id, social_account_id, started_at, id) where outcome = 'unknown';

CREATE UNIQUE INDEX one_open_dispatch_per_post on dispatches (org_id, post_id)
  where outcome in ('started', 'accepted', 'unknown');

CREATE TRIGGER last_outcome_insert after insert on dispatches for each row
  begin
  update posts set last_outcome = new.outcome
  where org_id = new.org_id and id = new.post_id and last_outcome is distinct from new.outcome
  and not exists (select 1 from dispatches as newer
  where newer.org_id = new.org_id and newer.post_id = new.post_id and newer.attempt > new.attempt);
  end;

CREATE TRIGGER last_outcome_update after update of outcome on dispatches for each row
  begin
  update posts set last_outcome = new.outcome
  where org_id = new.org_id and id = new.post_id and last_outcome is distinct from new.outcome
  and not exists (select 1 from dispatches as newer
  where newer.org_id = new.org_id and newer.post_id = new.post_id and newer.attempt > new.attempt);
  end;

CREATE TABLE event_counters (
  org_id text primary key references organizations (id),
  last bigint not null
);

CREATE TABLE event_epochs (
  org_id text not null references organizations (id),
  epoch bigint not null,
  after_seq bigint not null,
  primary key (org_id, epoch)
);

CREATE TABLE events (
  org_id text not null references organizations (id),
  seq bigint not null,
  type text not null,
  data text not null,
  created_at bigint not null,
  primary key (org_id, seq)
);

CREATE INDEX events_by_age on events (created_at);

CREATE TRIGGER events_counted after insert on events for each row
  begin
  insert into event_counters (org_id, last) values (new.org_id, new.seq)
  on conflict (org_id) do update set last = excluded.last where excluded.last > event_counters.last;
  end;

CREATE TABLE fetch_paces (
  org_id text primary key,
  file_ms bigint not null
);

CREATE TABLE grant_calls (
  id text primary key,
  platform text not null,
  kind text not null check (kind in ('exchange', 'revocation')),
  valid_until bigint not null
);

CREATE TABLE idempotency_records (
  org_id text not null,
  key text not null,
  fingerprint text not null,
  response text,
  created_at bigint not null,
  dispatch_id text,
  primary key (org_id, key)
);

CREATE INDEX idempotency_records_by_age on idempotency_records (created_at);

CREATE TRIGGER idempotency_records_bytes_delete after delete on idempotency_records for each row when -(coalesce(length(old.response), 0)) <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (old.org_id, 'responses', -(coalesce(length(old.response), 0)))
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TRIGGER idempotency_records_bytes_insert after insert on idempotency_records for each row when coalesce(length(new.response), 0) <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (new.org_id, 'responses', coalesce(length(new.response), 0))
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TRIGGER idempotency_records_bytes_update after update of response on idempotency_records for each row when (coalesce(length(new.response), 0)) - (coalesce(length(old.response), 0)) <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (new.org_id, 'responses', (coalesce(length(new.response), 0)) - (coalesce(length(old.response), 0)))
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TABLE inbox_counters (
  org_id text not null references organizations (id),
  status text not null,
  post_type text not null,
  account_id text not null,
  n bigint not null,
  primary key (org_id, status, post_type, account_id)
);

CREATE TABLE installation (
  id integer primary key check (id = 1),
  installation_id text not null,
  counter bigint not null,
  noted_at bigint not null,
  store_noted integer not null default 0,
  epoch bigint not null default 0,
  safe_since bigint,
  safe_reason text,
  restored_to bigint,
  released_at bigint,
  first_sweep text check (first_sweep in ('due', 'allowed')),
  recent_tags text not null default ''
);

CREATE TABLE invitations (
  org_id text not null references organizations (id),
  id text not null,
  hash text not null unique,
  email text,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  invited_by text,
  created_at bigint not null,
  expires_at bigint not null,
  made_with text,
  primary key (org_id, id),
  foreign key (org_id, invited_by) references people (org_id, id)
);

CREATE INDEX invitations_by_age on invitations (expires_at);

CREATE INDEX invitations_by_key on invitations (org_id, made_with) where made_with is not null;

CREATE INDEX invitations_by_person on invitations (org_id, invited_by) where invited_by is not null;

CREATE TABLE key_check (id integer primary key check (id = 1), sealed text not null);

CREATE TABLE labels (
  org_id text not null references organizations (id),
  id text not null,
  name text not null,
  name_key text not null,
  colour text not null,
  created_at bigint not null,
  primary key (org_id, id),
  unique (org_id, name_key)
);

CREATE TABLE oauth_states (
  hash text primary key,
  org_id text not null references organizations (id),
  verifier text not null,
  redirect_uri text not null,
  created_at bigint not null,
  expires_at bigint not null,
  session_id text,
  platform text not null default 'tiktok',
  begun_by text,
  account_id text
);

CREATE INDEX oauth_states_by_age on oauth_states (expires_at);

CREATE TABLE objects_to_delete (
  object_key text primary key,
  org_id text not null,
  remove_after bigint not null,
  size bigint
);

CREATE INDEX objects_to_delete_by_time on objects_to_delete (remove_after);

CREATE TRIGGER objects_to_delete_bytes_delete after delete on objects_to_delete for each row when -(coalesce(old.size, 0)) <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (old.org_id, 'files', -(coalesce(old.size, 0)))
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TRIGGER objects_to_delete_bytes_insert after insert on objects_to_delete for each row when coalesce(new.size, 0) <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (new.org_id, 'files', coalesce(new.size, 0))
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TRIGGER objects_to_delete_bytes_update after update of size on objects_to_delete for each row when (coalesce(new.size, 0)) - (coalesce(old.size, 0)) <> 0
  begin
  insert into stored_bytes (org_id, kind, n) values (new.org_id, 'files', (coalesce(new.size, 0)) - (coalesce(old.size, 0)))
  on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
  end;

CREATE TABLE organizations (
  id text primary key,
  name text not null,
  plan text not null check (plan in ('starter', 'growth', 'agency', 'api_only')),
  trial_ends_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  quotas text,
  second_factor text not null default 'optional' check (second_factor in ('optional', 'required'))
);

CREATE TABLE people (
  org_id text not null references organizations (id),
  id text not null,
  name text not null,
  email text not null unique,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  password_hash text,
  last_seen_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  time_format text check (time_format in ('12h', '24h')),
  email_verified_at bigint,
  primary key (org_id, id)
);

CREATE TABLE person_factors (
  org_id text not null,
  id text not null,
  person_id text not null,
  kind text not null check (kind in ('totp')),
  name text not null,
  secret text not null,
  last_step bigint not null,
  created_at bigint not null,
  confirmed_at bigint,
  last_used_at bigint,
  primary key (org_id, id),
  foreign key (org_id, person_id) references people (org_id, id)
);

CREATE INDEX person_factors_by_person on person_factors (org_id, person_id);

CREATE TABLE person_links (
  hash text primary key,
  org_id text not null,
  person_id text not null,
  purpose text not null check (purpose in ('enter', 'reset', 'verify')),
  made_by text,
  created_at bigint not null,
  expires_at bigint not null,
  foreign key (org_id, person_id) references people (org_id, id)
);

CREATE INDEX person_links_by_age on person_links (expires_at);

CREATE INDEX person_links_by_person on person_links (org_id, person_id);

CREATE TABLE person_networks (
  org_id text not null,
  person_id text not null,
  network text not null,
  seen_at bigint not null,
  primary key (org_id, person_id, network),
  foreign key (org_id, person_id) references people (org_id, id)
);

CREATE INDEX person_networks_by_age on person_networks (seen_at);

CREATE TABLE platform_blocks (
  platform text not null primary key,
  blocked_until bigint not null,
  reason text not null,
  reason_code text not null,
  probe_org_id text,
  probe_id text
);

CREATE TABLE platform_webhooks (
  key text primary key,
  received_at bigint not null
);

CREATE INDEX platform_webhooks_by_age on platform_webhooks (received_at);

CREATE TABLE post_counters (
  org_id text not null references organizations (id),
  status text not null,
  post_type text not null,
  account_id text not null,
  published smallint not null,
  n bigint not null,
  primary key (org_id, status, post_type, account_id, published)
);

CREATE TABLE post_labels (
  org_id text not null,
  post_id text not null,
  label_id text not null,
  created_at bigint not null,
  primary key (org_id, post_id, label_id),
  foreign key (org_id, post_id) references posts (org_id, id) on delete cascade,
  foreign key (org_id, label_id) references labels (org_id, id)
);

CREATE INDEX post_labels_by_label on post_labels (org_id, label_id, created_at, post_id);

CREATE TABLE post_search (
  n integer primary key autoincrement,
  org_id text not null,
  post_id text not null,
  created_at bigint not null,
  content text not null,
  unique (org_id, post_id),
  foreign key (org_id, post_id) references posts (org_id, id) on delete cascade
);

CREATE TRIGGER post_search_deleted after delete on post_search for each row
  begin
  insert into post_search_pending (n, org_id, indexed) values (old.n, old.org_id, old.content)
  on conflict (n) do nothing;
  end;

CREATE TRIGGER post_search_inserted after insert on post_search for each row
  begin
  insert into post_search_pending (n, org_id) values (new.n, new.org_id);
  end;

CREATE TRIGGER post_search_updated after update of content on post_search for each row when new.content <> old.content
  begin
  insert into post_search_pending (n, org_id, indexed) values (old.n, old.org_id, old.content)
  on conflict (n) do nothing;
  end;

CREATE VIRTUAL TABLE post_search_fts using fts5
  (content, tokenize = 'trigram case_sensitive 1', content = '', columnsize = 0, detail = none);

CREATE TABLE 'post_search_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'post_search_fts_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'post_search_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE post_search_organizations (number integer primary key, org_id text not null unique);

CREATE TABLE post_search_pending (n integer primary key, org_id text not null, indexed text);

CREATE INDEX post_search_pending_by_organization on post_search_pending (org_id, n);

CREATE TABLE posts (
  org_id text not null references organizations (id),
  id text not null,
  post_type text not null check (post_type in ('slides', 'video')),
  title text not null,
  caption text,
  hashtags text,
  status text not null check (status in ('draft', 'scheduled', 'publishing', 'posted', 'archived')),
  scheduled_at bigint,
  posted_at bigint,
  social_account_id text,
  publish_mode text not null default 'direct' check (publish_mode in ('direct', 'inbox')),
  publish_retries integer not null default 0,
  last_publish_error text,
  last_publish_error_code text,
  privacy_level text check (privacy_level in
  ('PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY')),
  disable_comment smallint not null default 0 check (disable_comment in (0, 1)),
  disable_duet smallint not null default 0 check (disable_duet in (0, 1)),
  disable_stitch smallint not null default 0 check (disable_stitch in (0, 1)),
  brand_content_toggle smallint not null default 0 check (brand_content_toggle in (0, 1)),
  brand_organic_toggle smallint not null default 0 check (brand_organic_toggle in (0, 1)),
  created_at bigint not null,
  updated_at bigint not null,
  wait_until bigint,
  wait_reason text check (wait_reason in ('account', 'block', 'file')),
  version integer not null default 1,
  last_slot bigint,
  title_key text not null,
  labels text,
  cover_index smallint,
  cover_ms integer,
  last_outcome text,
  primary key (org_id, id),
  foreign key (org_id, social_account_id) references social_accounts (org_id, id),
  check (status <> 'scheduled'
  or (scheduled_at is not null and social_account_id is not null and privacy_level is not null))
);

CREATE INDEX posts_by_account on posts (org_id, social_account_id, status, post_type, created_at, id);

CREATE INDEX posts_by_account_and_slot on posts (org_id, social_account_id, scheduled_at, id) where status = 'scheduled';

CREATE INDEX posts_by_birth on posts (org_id, created_at, id);

CREATE INDEX posts_by_kind on posts (org_id, status, post_type, created_at, id);

CREATE INDEX posts_by_kind_and_slot on posts (org_id, status, post_type, scheduled_at, id);

CREATE INDEX posts_by_last_slot on posts (org_id, last_slot, id) where last_slot is not null;

CREATE INDEX posts_by_outcome on posts (org_id, last_outcome, status, post_type, created_at, id) where last_outcome is not null;

CREATE INDEX posts_by_posting on posts (org_id, status, post_type, posted_at, id);

CREATE INDEX posts_by_publication on posts (org_id, posted_at) where posted_at is not null;

CREATE INDEX posts_by_slot on posts (org_id, scheduled_at, id);

CREATE INDEX posts_by_status_and_slot on posts (org_id, status, scheduled_at, id);

CREATE INDEX posts_by_title on posts (org_id, status, post_type, title_key, id);

CREATE INDEX posts_by_update on posts (org_id, status, post_type, updated_at, id);

CREATE INDEX posts_due on posts (coalesce(wait_until, scheduled_at), scheduled_at, org_id) where status = 'scheduled';

CREATE INDEX posts_due_by_organization on posts (org_id, coalesce(wait_until, scheduled_at)) where status = 'scheduled';

CREATE INDEX posts_failed on posts (org_id, created_at, id) where last_publish_error is not null and status <> 'archived';

CREATE TRIGGER inbox_entered_insert after insert on posts for each row when new.last_outcome = 'in_inbox'
  begin
  insert into inbox_counters (org_id, status, post_type, account_id, n)
  values (new.org_id, new.status, new.post_type, coalesce(new.social_account_id, '00000000-0000-0000-0000-000000000000'), 1)
  on conflict (org_id, status, post_type, account_id) do update set n = inbox_counters.n + excluded.n;
  end;

CREATE TRIGGER inbox_entered_update after update of status, post_type, social_account_id, last_outcome on posts for each row when new.last_outcome = 'in_inbox' and (old.status <> new.status or old.post_type <> new.post_type
  or old.social_account_id is distinct from new.social_account_id or old.last_outcome is distinct from new.last_outcome)
  begin
  insert into inbox_counters (org_id, status, post_type, account_id, n)
  values (new.org_id, new.status, new.post_type, coalesce(new.social_account_id, '00000000-0000-0000-0000-000000000000'), 1)
  on conflict (org_id, status, post_type, account_id) do update set n = inbox_counters.n + excluded.n;
  end;

CREATE TRIGGER inbox_left_delete after delete on posts for each row when old.last_outcome = 'in_inbox'
  begin
  insert into inbox_counters (org_id, status, post_type, account_id, n)
  values (old.org_id, old.status, old.post_type, coalesce(old.social_account_id, '00000000-0000-0000-0000-000000000000'), -1)
  on conflict (org_id, status, post_type, account_id) do update set n = inbox_counters.n + excluded.n;
  end;

CREATE TRIGGER inbox_left_update after update of status, post_type, social_account_id, last_outcome on posts for each row when old.last_outcome = 'in_inbox' and (old.status <> new.status or old.post_type <> new.post_type
  or old.social_account_id is distinct from new.social_account_id or old.last_outcome is distinct from new.last_outcome)
  begin
  insert into inbox_counters (org_id, status, post_type, account_id, n)
  values (old.org_id, old.status, old.post_type, coalesce(old.social_account_id, '00000000-0000-0000-0000-000000000000'), -1)
  on conflict (org_id, status, post_type, account_id) do update set n = inbox_counters.n + excluded.n;
  end;

CREATE TRIGGER posts_version after update on posts
  for each row when new.version = old.version and new.title_key is old.title_key
  begin
  update posts set version = old.version + 1 where org_id = new.org_id and id = new.id;
  end;

CREATE TRIGGER slot_booked_insert after insert on posts for each row when new.status = 'scheduled'
  begin
  insert into booked_slots (org_id, post_id, scheduled_at, has_media, check_at)
  values (new.org_id, new.id, new.scheduled_at, case when exists (select 1 from assets where assets.org_id = new.org_id and assets.post_id = new.id and assets.state = 'ready') then 1 else 0 end, new.scheduled_at - 86400000)
  on conflict (org_id, post_id) do update
  set scheduled_at = excluded.scheduled_at, has_media = excluded.has_media, check_at = excluded.check_at;
  end;

CREATE TRIGGER slot_booked_update after update of status, scheduled_at on posts for each row when new.status = 'scheduled' and (old.status <> 'scheduled' or old.scheduled_at is distinct from new.scheduled_at)
  begin
  insert into booked_slots (org_id, post_id, scheduled_at, has_media, check_at)
  values (new.org_id, new.id, new.scheduled_at, case when exists (select 1 from assets where assets.org_id = new.org_id and assets.post_id = new.id and assets.state = 'ready') then 1 else 0 end, new.scheduled_at - 86400000)
  on conflict (org_id, post_id) do update
  set scheduled_at = excluded.scheduled_at, has_media = excluded.has_media, check_at = excluded.check_at;
  end;

CREATE TRIGGER slot_given_up_delete after delete on posts for each row when old.status = 'scheduled'
  begin
  delete from booked_slots where org_id = old.org_id and post_id = old.id;
  end;

CREATE TRIGGER slot_given_up_update after update of status on posts for each row when old.status = 'scheduled' and new.status <> 'scheduled'
  begin
  delete from booked_slots where org_id = old.org_id and post_id = old.id;
  end;

CREATE TABLE recovery_codes (
  hash text primary key,
  org_id text not null,
  person_id text not null,
  used_at bigint,
  foreign key (org_id, person_id) references people (org_id, id)
);

CREATE INDEX recovery_codes_by_person on recovery_codes (org_id, person_id);

CREATE TABLE reported_risks (
  org_id text not null,
  post_id text not null,
  slot bigint not null,
  code text not null,
  primary key (org_id, post_id, slot, code)
);

CREATE INDEX reported_risks_by_slot on reported_risks (slot);

CREATE TABLE revisions (
  org_id text primary key references organizations (id),
  n bigint not null
);

CREATE TABLE schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at bigint not null, works_from integer not null);

CREATE TABLE sessions (
  org_id text not null,
  id text not null,
  person_id text not null,
  hash text not null unique,
  user_agent text,
  ip text,
  created_at bigint not null,
  seen_at bigint not null,
  ends_at bigint not null,
  proof text check (proof in ('password', 'factor', 'link')),
  proved_at bigint,
  primary key (org_id, id),
  foreign key (org_id, person_id) references people (org_id, id)
);

CREATE INDEX sessions_by_end on sessions (ends_at);

CREATE INDEX sessions_by_person on sessions (org_id, person_id);

CREATE TABLE sign_in_tickets (
  hash text primary key,
  org_id text not null,
  person_id text not null,
  password_mark text not null,
  tries integer not null,
  expires_at bigint not null,
  foreign key (org_id, person_id) references people (org_id, id)
);

CREATE INDEX sign_in_tickets_by_age on sign_in_tickets (expires_at);

CREATE INDEX sign_in_tickets_by_person on sign_in_tickets (org_id, person_id);

CREATE TABLE snippets (
  org_id text not null references organizations (id),
  id text not null,
  kind text not null check (kind in ('caption', 'hashtags')),
  name text not null,
  name_key text not null,
  content text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (org_id, id),
  unique (org_id, kind, name_key)
);

CREATE TABLE social_accounts (
  org_id text not null references organizations (id),
  id text not null,
  username text not null,
  display_name text,
  status text not null check (status in ('connected', 'reconnect_required', 'disconnected')),
  created_at bigint not null,
  updated_at bigint not null,
  open_id text,
  avatar_url text,
  scopes text not null default '',
  status_reason text,
  status_reason_code text,
  access_token text,
  access_expires_at bigint,
  refresh_token text,
  refresh_expires_at bigint,
  refresh_at bigint,
  refreshing_until bigint,
  token_fence integer not null default 0,
  platform text not null default 'tiktok',
  default_mode text check (default_mode in ('direct', 'inbox')),
  default_hashtags text,
  blocked_until bigint,
  block_reason text,
  block_reason_code text,
  primary key (org_id, id)
);

CREATE UNIQUE INDEX one_account_per_person on social_accounts (org_id, platform, open_id) where open_id is not null;

CREATE INDEX social_accounts_by_person on social_accounts (open_id) where open_id is not null;

CREATE INDEX social_accounts_in_use on social_accounts (org_id) where status <> 'disconnected';

CREATE INDEX social_accounts_to_refresh on social_accounts (refresh_at) where refresh_at is not null;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE stored_bytes (
  org_id text not null,
  kind text not null check (kind in ('files', 'responses')),
  n bigint not null,
  primary key (org_id, kind)
);

CREATE TABLE webhook_attempts (
  org_id text not null,
  delivery_id text not null,
  n bigint not null,
  at bigint not null,
  ms bigint not null,
  status bigint,
  error text,
  response text,
  primary key (org_id, delivery_id, n)
);

CREATE TABLE webhook_deliveries (
  org_id text not null references organizations (id),
  id text not null,
  endpoint_id text not null,
  message_id text not null,
  event_id text not null,
  event_seq bigint not null,
  type text not null,
  subject text not null,
  body text not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  attempts bigint not null,
  tries bigint not null,
  next_at bigint,
  lease_until bigint,
  fence bigint not null,
  created_at bigint not null,
  settled_at bigint,
  primary key (org_id, id),
  unique (org_id, endpoint_id, message_id)
);

CREATE INDEX webhook_deliveries_by_age on webhook_deliveries (created_at);

CREATE INDEX webhook_deliveries_by_endpoint on webhook_deliveries (org_id, endpoint_id, id);

CREATE INDEX webhook_deliveries_due on webhook_deliveries (org_id, endpoint_id, next_at)
  where state = 'pending' and next_at is not null;

CREATE INDEX webhook_deliveries_queued on webhook_deliveries (org_id, endpoint_id, subject, event_seq)
  where state = 'pending';

CREATE TABLE webhook_endpoints (
  org_id text not null references organizations (id),
  id text not null,
  url text not null,
  description text,
  types text,
  secret text not null,
  previous_secret text,
  previous_until bigint,
  enabled smallint not null check (enabled in (0, 1)),
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  disabled_at bigint,
  cursor_seq bigint not null,
  failing_since bigint,
  failures bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  made_with text,
  key_ended_at bigint,
  primary key (org_id, id)
);

CREATE INDEX webhook_endpoints_by_key on webhook_endpoints (org_id, made_with) where made_with is not null and enabled = 1;

CREATE TRIGGER webhook_secret_replaced after update of previous_secret on webhook_endpoints for each row when old.previous_secret is not null and old.previous_until is not null and new.previous_secret = old.secret
  begin
  insert into webhook_previous_secrets (org_id, endpoint_id, n, secret, valid_until)
  select old.org_id, old.id, coalesce(max(n), 0) + 1, old.previous_secret, old.previous_until
  from webhook_previous_secrets where org_id = old.org_id and endpoint_id = old.id;
  end;

CREATE TABLE webhook_previous_secrets (
  org_id text not null,
  endpoint_id text not null,
  n bigint not null,
  secret text not null,
  valid_until bigint not null,
  primary key (org_id, endpoint_id, n),
  foreign key (org_id, endpoint_id) references webhook_endpoints (org_id, id) on delete cascade
);

CREATE TABLE workers (
  id text primary key,
  started_at bigint not null,
  heartbeat_at bigint not null
);

CREATE TABLE wrong_codes (
  org_id text not null,
  person_id text not null,
  kind text not null check (kind in ('totp', 'recovery')),
  since bigint not null,
  n integer not null,
  primary key (org_id, person_id, kind),
  foreign key (org_id, person_id) references people (org_id, id)
);
