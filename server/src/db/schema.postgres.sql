-- Made from the migrations by `npm run schema`, for reading. The migrations are what is executed.

CREATE OR REPLACE FUNCTION public.copy_last_outcome()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update posts set last_outcome = new.outcome
      where org_id = new.org_id and id = new.post_id and last_outcome is distinct from new.outcome
        and not exists (select 1 from dispatches as newer
          where newer.org_id = new.org_id and newer.post_id = new.post_id and newer.attempt > new.attempt);
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.count_assets_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      change bigint := 0;
    begin
      if tg_op <> 'INSERT' then change := change - (case old.state when 'ready' then coalesce(old.size, 0) when 'pending' then coalesce(old.announced_length, old.size, 0) else 0 end); end if;
      if tg_op <> 'DELETE' then change := change + (case new.state when 'ready' then coalesce(new.size, 0) when 'pending' then coalesce(new.announced_length, new.size, 0) else 0 end); end if;
      if change = 0 then return null; end if;
      insert into stored_bytes (org_id, kind, n) values (coalesce(new.org_id, old.org_id), 'files', change)
      on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.count_idempotency_records_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      change bigint := 0;
    begin
      if tg_op <> 'INSERT' then change := change - (coalesce(octet_length(old.response), 0)); end if;
      if tg_op <> 'DELETE' then change := change + (coalesce(octet_length(new.response), 0)); end if;
      if change = 0 then return null; end if;
      insert into stored_bytes (org_id, kind, n) values (coalesce(new.org_id, old.org_id), 'responses', change)
      on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.count_objects_to_delete_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      change bigint := 0;
    begin
      if tg_op <> 'INSERT' then change := change - (coalesce(old.size, 0)); end if;
      if tg_op <> 'DELETE' then change := change + (coalesce(new.size, 0)); end if;
      if change = 0 then return null; end if;
      insert into stored_bytes (org_id, kind, n) values (coalesce(new.org_id, old.org_id), 'files', change)
      on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.files_needed_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update asset_sources set needed_at = new.scheduled_at
      where org_id = new.org_id and asset_id in
        (select id from assets where assets.org_id = new.org_id and assets.post_id = new.post_id and assets.state = 'pending');
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.files_needed_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update asset_sources set needed_at = new.scheduled_at
      where org_id = new.org_id and asset_id in
        (select id from assets where assets.org_id = new.org_id and assets.post_id = new.post_id and assets.state = 'pending');
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.files_not_needed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update asset_sources set needed_at = 9007199254740991
      where org_id = old.org_id and asset_id in
        (select id from assets where assets.org_id = old.org_id and assets.post_id = old.post_id and assets.state = 'pending');
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.inbox_enter()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into inbox_counters (org_id, status, post_type, account_id, n)
      values (new.org_id, new.status, new.post_type, coalesce(new.social_account_id, '00000000-0000-0000-0000-000000000000'), 1)
      on conflict (org_id, status, post_type, account_id) do update set n = inbox_counters.n + excluded.n;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.inbox_leave()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into inbox_counters (org_id, status, post_type, account_id, n)
      values (old.org_id, old.status, old.post_type, coalesce(old.social_account_id, '00000000-0000-0000-0000-000000000000'), -1)
      on conflict (org_id, status, post_type, account_id) do update set n = inbox_counters.n + excluded.n;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.keep_previous_secret()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into webhook_previous_secrets (org_id, endpoint_id, n, secret, valid_until)
        select old.org_id, old.id, coalesce(max(n), 0) + 1, old.previous_secret, old.previous_until
        from webhook_previous_secrets where org_id = old.org_id and endpoint_id = old.id;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.raise_post_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      new.version := old.version + 1;
      return new;
    end $function$;

CREATE OR REPLACE FUNCTION public.slot_book()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into booked_slots (org_id, post_id, scheduled_at, has_media, check_at)
      values (new.org_id, new.id, new.scheduled_at, case when exists (select 1 from assets where assets.org_id = new.org_id and assets.post_id = new.id and assets.state = 'ready') then 1 else 0 end, new.scheduled_at - 86400000)
      on conflict (org_id, post_id) do update
        set scheduled_at = excluded.scheduled_at, has_media = excluded.has_media, check_at = excluded.check_at;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.slot_gain()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update booked_slots set has_media = 1 where org_id = new.org_id and post_id = new.post_id and has_media = 0;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.slot_give_up()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      delete from booked_slots where org_id = old.org_id and post_id = old.id;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.slot_lose()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update booked_slots set has_media = case when exists (select 1 from assets where assets.org_id = old.org_id and assets.post_id = old.post_id and assets.state = 'ready') then 1 else 0 end
      where org_id = old.org_id and post_id = old.post_id and has_media = 1;
      return null;
    end $function$;

CREATE OR REPLACE FUNCTION public.source_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update assets set is_fetched = 1
      where org_id = new.org_id and id = new.asset_id and is_fetched = 0;
      return null;
    end $function$;

create table api_keys (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  hash text collate "C" not null,
  prefix text not null,
  scopes text not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  created_at bigint not null,
  created_by uuid,
  made_with uuid,
  networks text,
  last_used_network text,
  UNIQUE (hash),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

CREATE INDEX api_keys_by_key ON public.api_keys USING btree (org_id, made_with) WHERE (made_with IS NOT NULL);

CREATE INDEX api_keys_by_maker ON public.api_keys USING btree (org_id, created_by) WHERE (created_by IS NOT NULL);

CREATE INDEX api_keys_in_use ON public.api_keys USING btree (org_id, expires_at) WHERE (revoked_at IS NULL);

create table asset_sources (
  org_id uuid not null,
  asset_id uuid not null,
  url text not null,
  tries smallint not null,
  fence integer not null default 0,
  fetch_at bigint not null,
  needed_at bigint not null default '9007199254740991'::bigint,
  PRIMARY KEY (org_id, asset_id),
  FOREIGN KEY (org_id, asset_id) REFERENCES assets(org_id, id) ON DELETE CASCADE
);

CREATE INDEX asset_sources_by_need ON public.asset_sources USING btree (org_id, needed_at, asset_id);

CREATE INDEX asset_sources_to_fetch ON public.asset_sources USING btree (fetch_at);

CREATE TRIGGER source_added AFTER INSERT ON public.asset_sources FOR EACH ROW EXECUTE FUNCTION source_added();

create table assets (
  org_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  kind text collate "C" not null,
  state text collate "C" not null,
  object_key text collate "C" not null,
  filename text not null,
  content_type text collate "C" not null,
  announced_length bigint,
  position integer not null,
  expires_at bigint not null,
  size bigint,
  width integer,
  height integer,
  duration_ms bigint,
  codec text collate "C",
  has_thumbnail smallint not null default 0,
  inspection_failures smallint not null default 0,
  reason text,
  created_at bigint not null,
  settled_at bigint,
  may_change_scheduled integer not null default 1,
  part_size integer,
  store_upload text,
  is_fetched smallint not null default 0,
  inspection_began_at bigint,
  UNIQUE (object_key),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, post_id) REFERENCES posts(org_id, id),
  CHECK ((has_thumbnail = ANY (ARRAY[0, 1]))),
  CHECK ((kind = ANY (ARRAY['slide'::text, 'video'::text]))),
  CHECK ((state = ANY (ARRAY['pending'::text, 'ready'::text, 'rejected'::text])))
);

CREATE INDEX assets_by_post ON public.assets USING btree (org_id, post_id, "position", id);

CREATE INDEX assets_fetched_in_vain ON public.assets USING btree (org_id, post_id) WHERE ((state = 'rejected'::text) AND (is_fetched = 1));

CREATE INDEX assets_pending ON public.assets USING btree (expires_at) WHERE (state = 'pending'::text);

CREATE INDEX assets_rejected ON public.assets USING btree (settled_at) WHERE (state = 'rejected'::text);

CREATE TRIGGER assets_bytes AFTER INSERT OR DELETE OR UPDATE OF state, size, announced_length ON public.assets FOR EACH ROW EXECUTE FUNCTION count_assets_bytes();

CREATE TRIGGER media_gained_insert AFTER INSERT ON public.assets FOR EACH ROW WHEN ((new.state = 'ready'::text)) EXECUTE FUNCTION slot_gain();

CREATE TRIGGER media_gained_update AFTER UPDATE OF state ON public.assets FOR EACH ROW WHEN (((new.state = 'ready'::text) AND (old.state <> 'ready'::text))) EXECUTE FUNCTION slot_gain();

CREATE TRIGGER media_lost_delete AFTER DELETE ON public.assets FOR EACH ROW WHEN ((old.state = 'ready'::text)) EXECUTE FUNCTION slot_lose();

CREATE TRIGGER media_lost_update AFTER UPDATE OF state ON public.assets FOR EACH ROW WHEN (((old.state = 'ready'::text) AND (new.state <> 'ready'::text))) EXECUTE FUNCTION slot_lose();

CREATE UNIQUE INDEX one_video_per_post ON public.assets USING btree (org_id, post_id) WHERE ((kind = 'video'::text) AND (state = 'ready'::text));

create table audit (
  id uuid not null,
  org_id uuid,
  at bigint not null,
  actor_kind text collate "C" not null,
  actor_id uuid,
  actor_name text not null,
  address text,
  action text collate "C" not null,
  target_kind text collate "C" not null,
  target_id uuid,
  target_name text,
  details text,
  minute bigint,
  n integer not null default 1,
  PRIMARY KEY (id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK ((actor_kind = ANY (ARRAY['person'::text, 'key'::text, 'operator'::text, 'platform'::text, 'system'::text])))
);

CREATE INDEX audit_by_action ON public.audit USING btree (org_id, action, id);

CREATE INDEX audit_by_actor ON public.audit USING btree (org_id, actor_id, id) WHERE (actor_id IS NOT NULL);

CREATE INDEX audit_by_actor_kind ON public.audit USING btree (org_id, actor_kind, id);

CREATE INDEX audit_by_organization ON public.audit USING btree (org_id, id);

CREATE INDEX audit_by_target ON public.audit USING btree (org_id, target_id, id) WHERE (target_id IS NOT NULL);

CREATE UNIQUE INDEX audit_failed_sign_ins ON public.audit USING btree (org_id, target_id, address, minute) WHERE (minute IS NOT NULL);

create table booked_slots (
  org_id uuid not null,
  post_id uuid not null,
  scheduled_at bigint not null,
  has_media smallint not null,
  check_at bigint,
  PRIMARY KEY (org_id, post_id),
  CHECK ((has_media = ANY (ARRAY[0, 1])))
);

CREATE INDEX booked_slots_to_check ON public.booked_slots USING btree (check_at) WHERE (check_at IS NOT NULL);

CREATE INDEX booked_slots_without_media ON public.booked_slots USING btree (org_id, scheduled_at, post_id) WHERE (has_media = 0);

CREATE TRIGGER files_needed_insert AFTER INSERT ON public.booked_slots FOR EACH ROW EXECUTE FUNCTION files_needed_insert();

CREATE TRIGGER files_needed_update AFTER UPDATE OF scheduled_at ON public.booked_slots FOR EACH ROW WHEN ((old.scheduled_at <> new.scheduled_at)) EXECUTE FUNCTION files_needed_update();

CREATE TRIGGER files_not_needed AFTER DELETE ON public.booked_slots FOR EACH ROW EXECUTE FUNCTION files_not_needed();

create table daily_post_counts (
  org_id uuid not null,
  day integer not null,
  n bigint not null,
  PRIMARY KEY (org_id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table dispatch_counters (
  org_id uuid not null,
  outcome text collate "C" not null,
  n bigint not null,
  PRIMARY KEY (org_id, outcome),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table dispatches (
  org_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  social_account_id uuid not null,
  trigger_kind text collate "C" not null,
  attempt integer not null,
  mode text collate "C" not null,
  outcome text collate "C" not null,
  phase text collate "C" not null,
  publish_id text collate "C",
  social_status text,
  post_url text,
  failure text collate "C",
  error_code text,
  error_message text,
  retry_after_ms bigint,
  scheduled_for bigint,
  started_at bigint not null,
  accepted_at bigint,
  finished_at bigint,
  checked_at bigint,
  continued_by uuid,
  snapshot text not null,
  nonce text collate "C",
  fetched_at bigint,
  revoked_at bigint,
  upload text,
  sent_at bigint,
  fence integer not null default 1,
  lease_until bigint,
  next_at bigint,
  checks integer not null default 0,
  platform text collate "C" not null default 'tiktok'::text,
  submission_ref text,
  platform_post_id text collate "C",
  UNIQUE (nonce),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, post_id) REFERENCES posts(org_id, id),
  FOREIGN KEY (org_id, social_account_id) REFERENCES social_accounts(org_id, id),
  CHECK ((failure = ANY (ARRAY['retryable'::text, 'refused'::text, 'reauthorize'::text, 'unknown'::text]))),
  CHECK ((mode = ANY (ARRAY['direct'::text, 'inbox'::text]))),
  CHECK ((outcome = ANY (ARRAY['started'::text, 'accepted'::text, 'published'::text, 'in_inbox'::text, 'failed'::text, 'unknown'::text]))),
  CHECK ((phase = ANY (ARRAY['sending'::text, 'transferring'::text, 'observing'::text, 'done'::text]))),
  CHECK ((trigger_kind = ANY (ARRAY['api'::text, 'dashboard'::text, 'schedule'::text, 'retry'::text])))
);

CREATE INDEX dispatches_by_account ON public.dispatches USING btree (org_id, social_account_id, started_at, id);

CREATE INDEX dispatches_by_day ON public.dispatches USING btree (org_id, started_at, outcome, scheduled_for, error_code);

CREATE INDEX dispatches_by_outcome ON public.dispatches USING btree (org_id, outcome, started_at, id);

CREATE INDEX dispatches_by_post ON public.dispatches USING btree (org_id, post_id, attempt);

CREATE INDEX dispatches_by_publish_id ON public.dispatches USING btree (publish_id) WHERE (publish_id IS NOT NULL);

CREATE INDEX dispatches_by_reason ON public.dispatches USING btree (org_id, error_code, started_at, id) WHERE (error_code IS NOT NULL);

CREATE INDEX dispatches_by_time ON public.dispatches USING btree (org_id, started_at, id);

CREATE INDEX dispatches_by_trigger ON public.dispatches USING btree (org_id, trigger_kind, started_at, id);

CREATE INDEX dispatches_next ON public.dispatches USING btree (next_at, phase, org_id) WHERE (next_at IS NOT NULL);

CREATE INDEX dispatches_next_by_organization ON public.dispatches USING btree (phase, org_id, next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX dispatches_unknown ON public.dispatches USING btree (org_id, social_account_id, started_at, id) WHERE (outcome = 'unknown'::text);

CREATE TRIGGER last_outcome_insert AFTER INSERT ON public.dispatches FOR EACH ROW EXECUTE FUNCTION copy_last_outcome();

CREATE TRIGGER last_outcome_update AFTER UPDATE OF outcome ON public.dispatches FOR EACH ROW EXECUTE FUNCTION copy_last_outcome();

CREATE UNIQUE INDEX one_open_dispatch_per_post ON public.dispatches USING btree (org_id, post_id) WHERE (outcome = ANY (ARRAY['started'::text, 'accepted'::text, 'unknown'::text]));

create table event_counters (
  org_id uuid not null,
  last bigint not null,
  PRIMARY KEY (org_id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table event_epochs (
  org_id uuid not null,
  epoch bigint not null,
  after_seq bigint not null,
  PRIMARY KEY (org_id, epoch),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table events (
  org_id uuid not null,
  seq bigint not null,
  type text collate "C" not null,
  data text not null,
  created_at bigint not null,
  PRIMARY KEY (org_id, seq),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

CREATE INDEX events_by_age ON public.events USING btree (created_at);

create table fetch_paces (
  org_id uuid not null,
  file_ms bigint not null,
  PRIMARY KEY (org_id)
);

create table grant_calls (
  id uuid not null,
  platform text collate "C" not null,
  kind text collate "C" not null,
  valid_until bigint not null,
  PRIMARY KEY (id),
  CHECK ((kind = ANY (ARRAY['exchange'::text, 'revocation'::text])))
);

create table idempotency_records (
  org_id uuid not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  response text,
  created_at bigint not null,
  dispatch_id uuid,
  PRIMARY KEY (org_id, key)
);

CREATE INDEX idempotency_records_by_age ON public.idempotency_records USING btree (created_at);

CREATE TRIGGER idempotency_records_bytes AFTER INSERT OR DELETE OR UPDATE OF response ON public.idempotency_records FOR EACH ROW EXECUTE FUNCTION count_idempotency_records_bytes();

create table inbox_counters (
  org_id uuid not null,
  status text collate "C" not null,
  post_type text collate "C" not null,
  account_id uuid not null,
  n bigint not null,
  PRIMARY KEY (org_id, status, post_type, account_id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table installation (
  id integer not null,
  installation_id text collate "C" not null,
  counter bigint not null,
  noted_at bigint not null,
  store_noted integer not null default 0,
  epoch bigint not null default 0,
  safe_since bigint,
  safe_reason text,
  restored_to bigint,
  released_at bigint,
  first_sweep text collate "C",
  recent_tags text not null default ''::text,
  PRIMARY KEY (id),
  CHECK ((first_sweep = ANY (ARRAY['due'::text, 'allowed'::text]))),
  CHECK ((id = 1))
);

create table invitations (
  org_id uuid not null,
  id uuid not null,
  hash text collate "C" not null,
  email text collate "C",
  role text collate "C" not null,
  invited_by uuid,
  created_at bigint not null,
  expires_at bigint not null,
  made_with uuid,
  UNIQUE (hash),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  FOREIGN KEY (org_id, invited_by) REFERENCES people(org_id, id),
  CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text])))
);

CREATE INDEX invitations_by_age ON public.invitations USING btree (expires_at);

CREATE INDEX invitations_by_key ON public.invitations USING btree (org_id, made_with) WHERE (made_with IS NOT NULL);

CREATE INDEX invitations_by_person ON public.invitations USING btree (org_id, invited_by) WHERE (invited_by IS NOT NULL);

create table key_check (
  id integer not null,
  sealed text not null,
  PRIMARY KEY (id),
  CHECK ((id = 1))
);

create table labels (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  name_key text collate "C" not null,
  colour text collate "C" not null,
  created_at bigint not null,
  UNIQUE (org_id, name_key),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table oauth_states (
  hash text collate "C" not null,
  org_id uuid not null,
  verifier text not null,
  redirect_uri text not null,
  created_at bigint not null,
  expires_at bigint not null,
  session_id uuid,
  platform text collate "C" not null default 'tiktok'::text,
  begun_by text,
  account_id uuid,
  PRIMARY KEY (hash),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

CREATE INDEX oauth_states_by_age ON public.oauth_states USING btree (expires_at);

create table objects_to_delete (
  object_key text collate "C" not null,
  org_id uuid not null,
  remove_after bigint not null,
  size bigint,
  PRIMARY KEY (object_key)
);

CREATE INDEX objects_to_delete_by_time ON public.objects_to_delete USING btree (remove_after);

CREATE TRIGGER objects_to_delete_bytes AFTER INSERT OR DELETE OR UPDATE OF size ON public.objects_to_delete FOR EACH ROW EXECUTE FUNCTION count_objects_to_delete_bytes();

create table organizations (
  id uuid not null,
  name text not null,
  plan text collate "C" not null,
  trial_ends_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  quotas text,
  second_factor text collate "C" not null default 'optional'::text,
  PRIMARY KEY (id),
  CHECK ((plan = ANY (ARRAY['starter'::text, 'growth'::text, 'agency'::text, 'api_only'::text]))),
  CHECK ((second_factor = ANY (ARRAY['optional'::text, 'required'::text])))
);

create table people (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  email text collate "C" not null,
  role text collate "C" not null,
  password_hash text,
  last_seen_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  time_format text collate "C",
  email_verified_at bigint,
  UNIQUE (email),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text]))),
  CHECK ((time_format = ANY (ARRAY['12h'::text, '24h'::text])))
);

create table person_factors (
  org_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  kind text collate "C" not null,
  name text not null,
  secret text not null,
  last_step bigint not null,
  created_at bigint not null,
  confirmed_at bigint,
  last_used_at bigint,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id),
  CHECK ((kind = 'totp'::text))
);

CREATE INDEX person_factors_by_person ON public.person_factors USING btree (org_id, person_id);

create table person_links (
  hash text collate "C" not null,
  org_id uuid not null,
  person_id uuid not null,
  purpose text collate "C" not null,
  made_by uuid,
  created_at bigint not null,
  expires_at bigint not null,
  PRIMARY KEY (hash),
  FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id),
  CHECK ((purpose = ANY (ARRAY['enter'::text, 'reset'::text, 'verify'::text])))
);

CREATE INDEX person_links_by_age ON public.person_links USING btree (expires_at);

CREATE INDEX person_links_by_person ON public.person_links USING btree (org_id, person_id);

create table person_networks (
  org_id uuid not null,
  person_id uuid not null,
  network text collate "C" not null,
  seen_at bigint not null,
  PRIMARY KEY (org_id, person_id, network),
  FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id)
);

CREATE INDEX person_networks_by_age ON public.person_networks USING btree (seen_at);

create table platform_blocks (
  platform text collate "C" not null,
  blocked_until bigint not null,
  reason text not null,
  reason_code text collate "C" not null,
  probe_org_id uuid,
  probe_id uuid,
  PRIMARY KEY (platform)
);

create table platform_webhooks (
  key text collate "C" not null,
  received_at bigint not null,
  PRIMARY KEY (key)
);

CREATE INDEX platform_webhooks_by_age ON public.platform_webhooks USING btree (received_at);

create table post_counters (
  org_id uuid not null,
  status text collate "C" not null,
  post_type text collate "C" not null,
  account_id uuid not null,
  published smallint not null,
  n bigint not null,
  PRIMARY KEY (org_id, status, post_type, account_id, published),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table post_labels (
  org_id uuid not null,
  post_id uuid not null,
  label_id uuid not null,
  created_at bigint not null,
  PRIMARY KEY (org_id, post_id, label_id),
  FOREIGN KEY (org_id, label_id) REFERENCES labels(org_id, id),
  FOREIGN KEY (org_id, post_id) REFERENCES posts(org_id, id) ON DELETE CASCADE
);

CREATE INDEX post_labels_by_label ON public.post_labels USING btree (org_id, label_id, created_at, post_id);

create table post_search (
  org_id uuid not null,
  post_id uuid not null,
  created_at bigint not null,
  content text not null,
  PRIMARY KEY (org_id, post_id),
  FOREIGN KEY (org_id, post_id) REFERENCES posts(org_id, id) ON DELETE CASCADE
);

create table posts (
  org_id uuid not null,
  id uuid not null,
  post_type text collate "C" not null,
  title text not null,
  caption text,
  hashtags text,
  status text collate "C" not null,
  scheduled_at bigint,
  posted_at bigint,
  social_account_id uuid,
  publish_mode text collate "C" not null default 'direct'::text,
  publish_retries integer not null default 0,
  last_publish_error text,
  last_publish_error_code text collate "C",
  privacy_level text collate "C",
  disable_comment smallint not null default 0,
  disable_duet smallint not null default 0,
  disable_stitch smallint not null default 0,
  brand_content_toggle smallint not null default 0,
  brand_organic_toggle smallint not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  wait_until bigint,
  wait_reason text collate "C",
  version integer not null default 1,
  last_slot bigint,
  title_key text collate "C" not null,
  labels text,
  cover_index smallint,
  cover_ms integer,
  last_outcome text collate "C",
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  FOREIGN KEY (org_id, social_account_id) REFERENCES social_accounts(org_id, id),
  CHECK ((brand_content_toggle = ANY (ARRAY[0, 1]))),
  CHECK ((brand_organic_toggle = ANY (ARRAY[0, 1]))),
  CHECK (((status <> 'scheduled'::text) OR ((scheduled_at IS NOT NULL) AND (social_account_id IS NOT NULL) AND (privacy_level IS NOT NULL)))),
  CHECK ((disable_comment = ANY (ARRAY[0, 1]))),
  CHECK ((disable_duet = ANY (ARRAY[0, 1]))),
  CHECK ((disable_stitch = ANY (ARRAY[0, 1]))),
  CHECK ((post_type = ANY (ARRAY['slides'::text, 'video'::text]))),
  CHECK ((privacy_level = ANY (ARRAY['PUBLIC_TO_EVERYONE'::text, 'MUTUAL_FOLLOW_FRIENDS'::text, 'FOLLOWER_OF_CREATOR'::text, 'SELF_ONLY'::text]))),
  CHECK ((publish_mode = ANY (ARRAY['direct'::text, 'inbox'::text]))),
  CHECK ((status = ANY (ARRAY['draft'::text, 'scheduled'::text, 'publishing'::text, 'posted'::text, 'archived'::text]))),
  CHECK ((wait_reason = ANY (ARRAY['account'::text, 'block'::text, 'file'::text])))
);

CREATE INDEX posts_by_account ON public.posts USING btree (org_id, social_account_id, status, post_type, created_at, id);

CREATE INDEX posts_by_account_and_slot ON public.posts USING btree (org_id, social_account_id, scheduled_at, id) WHERE (status = 'scheduled'::text);

CREATE INDEX posts_by_birth ON public.posts USING btree (org_id, created_at, id);

CREATE INDEX posts_by_kind ON public.posts USING btree (org_id, status, post_type, created_at, id);

CREATE INDEX posts_by_kind_and_slot ON public.posts USING btree (org_id, status, post_type, scheduled_at, id);

CREATE INDEX posts_by_last_slot ON public.posts USING btree (org_id, last_slot, id) WHERE (last_slot IS NOT NULL);

CREATE INDEX posts_by_outcome ON public.posts USING btree (org_id, last_outcome, status, post_type, created_at, id) WHERE (last_outcome IS NOT NULL);

CREATE INDEX posts_by_posting ON public.posts USING btree (org_id, status, post_type, posted_at, id);

CREATE INDEX posts_by_publication ON public.posts USING btree (org_id, posted_at) WHERE (posted_at IS NOT NULL);

CREATE INDEX posts_by_slot ON public.posts USING btree (org_id, scheduled_at, id);

CREATE INDEX posts_by_status_and_slot ON public.posts USING btree (org_id, status, scheduled_at, id);

CREATE INDEX posts_by_title ON public.posts USING btree (org_id, status, post_type, title_key, id);

CREATE INDEX posts_by_update ON public.posts USING btree (org_id, status, post_type, updated_at, id);

CREATE INDEX posts_due ON public.posts USING btree (COALESCE(wait_until, scheduled_at), scheduled_at, org_id) WHERE (status = 'scheduled'::text);

CREATE INDEX posts_due_by_organization ON public.posts USING btree (org_id, COALESCE(wait_until, scheduled_at)) WHERE (status = 'scheduled'::text);

CREATE INDEX posts_failed ON public.posts USING btree (org_id, created_at, id) WHERE ((last_publish_error IS NOT NULL) AND (status <> 'archived'::text));

CREATE TRIGGER inbox_entered_insert AFTER INSERT ON public.posts FOR EACH ROW WHEN ((new.last_outcome = 'in_inbox'::text)) EXECUTE FUNCTION inbox_enter();

CREATE TRIGGER inbox_entered_update AFTER UPDATE OF status, post_type, social_account_id, last_outcome ON public.posts FOR EACH ROW WHEN (((new.last_outcome = 'in_inbox'::text) AND ((old.status <> new.status) OR (old.post_type <> new.post_type) OR (old.social_account_id IS DISTINCT FROM new.social_account_id) OR (old.last_outcome IS DISTINCT FROM new.last_outcome)))) EXECUTE FUNCTION inbox_enter();

CREATE TRIGGER inbox_left_delete AFTER DELETE ON public.posts FOR EACH ROW WHEN ((old.last_outcome = 'in_inbox'::text)) EXECUTE FUNCTION inbox_leave();

CREATE TRIGGER inbox_left_update AFTER UPDATE OF status, post_type, social_account_id, last_outcome ON public.posts FOR EACH ROW WHEN (((old.last_outcome = 'in_inbox'::text) AND ((old.status <> new.status) OR (old.post_type <> new.post_type) OR (old.social_account_id IS DISTINCT FROM new.social_account_id) OR (old.last_outcome IS DISTINCT FROM new.last_outcome)))) EXECUTE FUNCTION inbox_leave();

CREATE TRIGGER posts_version BEFORE UPDATE ON public.posts FOR EACH ROW WHEN (((new.version = old.version) AND (NOT (new.title_key IS DISTINCT FROM old.title_key)))) EXECUTE FUNCTION raise_post_version();

CREATE TRIGGER slot_booked_insert AFTER INSERT ON public.posts FOR EACH ROW WHEN ((new.status = 'scheduled'::text)) EXECUTE FUNCTION slot_book();

CREATE TRIGGER slot_booked_update AFTER UPDATE OF status, scheduled_at ON public.posts FOR EACH ROW WHEN (((new.status = 'scheduled'::text) AND ((old.status <> 'scheduled'::text) OR (old.scheduled_at IS DISTINCT FROM new.scheduled_at)))) EXECUTE FUNCTION slot_book();

CREATE TRIGGER slot_given_up_delete AFTER DELETE ON public.posts FOR EACH ROW WHEN ((old.status = 'scheduled'::text)) EXECUTE FUNCTION slot_give_up();

CREATE TRIGGER slot_given_up_update AFTER UPDATE OF status ON public.posts FOR EACH ROW WHEN (((old.status = 'scheduled'::text) AND (new.status <> 'scheduled'::text))) EXECUTE FUNCTION slot_give_up();

create table recovery_codes (
  hash text collate "C" not null,
  org_id uuid not null,
  person_id uuid not null,
  used_at bigint,
  PRIMARY KEY (hash),
  FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id)
);

CREATE INDEX recovery_codes_by_person ON public.recovery_codes USING btree (org_id, person_id);

create table reported_risks (
  org_id uuid not null,
  post_id uuid not null,
  slot bigint not null,
  code text collate "C" not null,
  PRIMARY KEY (org_id, post_id, slot, code)
);

CREATE INDEX reported_risks_by_slot ON public.reported_risks USING btree (slot);

create table revisions (
  org_id uuid not null,
  n bigint not null,
  PRIMARY KEY (org_id),
  FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at bigint not null,
  works_from integer not null,
  PRIMARY KEY (version)
);

create table sessions (
  org_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  hash text collate "C" not null,
  user_agent text,
  ip text,
  created_at bigint not null,
  seen_at bigint not null,
  ends_at bigint not null,
  proof text collate "C",
  proved_at bigint,
  UNIQUE (hash),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id),
  CHECK ((proof = ANY (ARRAY['password'::text, 'factor'::text, 'link'::text])))
);

CREATE INDEX sessions_by_end ON public.sessions USING btree (ends_at);

CREATE INDEX sessions_by_person ON public.sessions USING btree (org_id, person_id);

create table sign_in_tickets (
  hash text collate "C" not null,
  org_id uuid not null,
  person_id uuid not null,
  password_mark text collate "C" not null,
  tries integer not null,
  expires_at bigint not null,
  PRIMARY KEY (hash),
  FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id)
);

CREATE INDEX sign_in_tickets_by_age ON public.sign_in_tickets USING btree (expires_at);

CREATE INDEX sign_in_tickets_by_person ON public.sign_in_tickets USING btree (org_id, person_id);

create table snippets (
  org_id uuid not null,
  id uuid not null,
  kind text collate "C" not null,
  name text not null,
  name_key text collate "C" not null,
  content text not null,
  created_at bigint not null,
  updated_at bigint not null,
  UNIQUE (org_id, kind, name_key),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK ((kind = ANY (ARRAY['caption'::text, 'hashtags'::text])))
);

create table social_accounts (
  org_id uuid not null,
  id uuid not null,
  username text not null,
  display_name text,
  status text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  open_id text collate "C",
  avatar_url text,
  scopes text not null default ''::text,
  status_reason text,
  status_reason_code text collate "C",
  access_token text,
  access_expires_at bigint,
  refresh_token text,
  refresh_expires_at bigint,
  refresh_at bigint,
  refreshing_until bigint,
  token_fence integer not null default 0,
  platform text collate "C" not null default 'tiktok'::text,
  default_mode text collate "C",
  default_hashtags text,
  blocked_until bigint,
  block_reason text,
  block_reason_code text collate "C",
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK ((default_mode = ANY (ARRAY['direct'::text, 'inbox'::text]))),
  CHECK ((status = ANY (ARRAY['connected'::text, 'reconnect_required'::text, 'disconnected'::text])))
);

CREATE INDEX social_accounts_by_person ON public.social_accounts USING btree (open_id) WHERE (open_id IS NOT NULL);

CREATE INDEX social_accounts_in_use ON public.social_accounts USING btree (org_id) WHERE (status <> 'disconnected'::text);

CREATE INDEX social_accounts_to_refresh ON public.social_accounts USING btree (refresh_at) WHERE (refresh_at IS NOT NULL);

CREATE UNIQUE INDEX one_account_per_person ON public.social_accounts USING btree (org_id, platform, open_id) WHERE (open_id IS NOT NULL);

create table stored_bytes (
  org_id uuid not null,
  kind text collate "C" not null,
  n bigint not null,
  PRIMARY KEY (org_id, kind),
  CHECK ((kind = ANY (ARRAY['files'::text, 'responses'::text])))
);

create table webhook_attempts (
  org_id uuid not null,
  delivery_id uuid not null,
  n bigint not null,
  at bigint not null,
  ms bigint not null,
  status bigint,
  error text,
  response text,
  PRIMARY KEY (org_id, delivery_id, n)
);

create table webhook_deliveries (
  org_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  message_id text collate "C" not null,
  event_id text collate "C" not null,
  event_seq bigint not null,
  type text collate "C" not null,
  subject text collate "C" not null,
  body text not null,
  state text collate "C" not null,
  attempts bigint not null,
  tries bigint not null,
  next_at bigint,
  lease_until bigint,
  fence bigint not null,
  created_at bigint not null,
  settled_at bigint,
  UNIQUE (org_id, endpoint_id, message_id),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING btree (created_at);

CREATE INDEX webhook_deliveries_by_endpoint ON public.webhook_deliveries USING btree (org_id, endpoint_id, id);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (org_id, endpoint_id, next_at) WHERE ((state = 'pending'::text) AND (next_at IS NOT NULL));

CREATE INDEX webhook_deliveries_queued ON public.webhook_deliveries USING btree (org_id, endpoint_id, subject, event_seq) WHERE (state = 'pending'::text);

create table webhook_endpoints (
  org_id uuid not null,
  id uuid not null,
  url text not null,
  description text,
  types text,
  secret text not null,
  previous_secret text,
  previous_until bigint,
  enabled smallint not null,
  disabled_reason text collate "C",
  disabled_at bigint,
  cursor_seq bigint not null,
  failing_since bigint,
  failures bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  made_with uuid,
  key_ended_at bigint,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id) REFERENCES organizations(id),
  CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  CHECK ((enabled = ANY (ARRAY[0, 1])))
);

CREATE INDEX webhook_endpoints_by_key ON public.webhook_endpoints USING btree (org_id, made_with) WHERE ((made_with IS NOT NULL) AND (enabled = 1));

CREATE TRIGGER webhook_secret_replaced AFTER UPDATE OF previous_secret ON public.webhook_endpoints FOR EACH ROW WHEN (((old.previous_secret IS NOT NULL) AND (old.previous_until IS NOT NULL) AND (new.previous_secret = old.secret))) EXECUTE FUNCTION keep_previous_secret();

create table webhook_previous_secrets (
  org_id uuid not null,
  endpoint_id uuid not null,
  n bigint not null,
  secret text not null,
  valid_until bigint not null,
  PRIMARY KEY (org_id, endpoint_id, n),
  FOREIGN KEY (org_id, endpoint_id) REFERENCES webhook_endpoints(org_id, id) ON DELETE CASCADE
);

create table workers (
  id uuid not null,
  started_at bigint not null,
  heartbeat_at bigint not null,
  PRIMARY KEY (id)
);

create table wrong_codes (
  org_id uuid not null,
  person_id uuid not null,
  kind text collate "C" not null,
  since bigint not null,
  n integer not null,
  PRIMARY KEY (org_id, person_id, kind),
  FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id),
  CHECK ((kind = ANY (ARRAY['totp'::text, 'recovery'::text])))
);
