// The sandbox's state in one SQLite file. The files of posts are stored beside it, see `mediaFile`.
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';

export interface AccountRow {
  username: string;
  open_id: string;
  nickname: string;
  /** Flags are 0 or 1. */
  is_private: number;
  is_banned: number;
  comment_disabled: number;
  duet_disabled: number;
  stitch_disabled: number;
  max_video_seconds: number;
}

export interface CodeRow {
  code: string;
  username: string;
  scopes: string;
  redirect_uri: string;
  code_challenge: string | null;
  expires_at: number;
}

export interface TokenRow {
  access_token: string;
  /** Null once it was used: refresh tokens rotate. */
  refresh_token: string | null;
  username: string;
  scopes: string;
  expires_at: number;
  refresh_expires_at: number;
}

export type Status =
  | 'PROCESSING_UPLOAD'
  | 'PROCESSING_DOWNLOAD'
  | 'SEND_TO_USER_INBOX'
  | 'PUBLISH_COMPLETE'
  | 'FAILED';

/** One accepted init and its result. */
export interface PublishRow {
  /** In the order of acceptance. */
  seq: number;
  publish_id: string;
  /** The number in the publish id; names the folder of its media and its upload. */
  digits: string;
  username: string;
  kind: 'video' | 'photo';
  mode: 'direct' | 'inbox';
  source: 'FILE_UPLOAD' | 'PULL_FROM_URL';
  at: number;
  request: string;
  /** What it waits for: bytes, processing, or nothing. */
  stage: 'transfer' | 'processing' | 'done';
  status: Status;
  fail_reason: string | null;
  privacy_level: string | null;
  title: string;
  upload_token: string | null;
  upload_expires_at: number | null;
  video_size: number | null;
  chunk_size: number | null;
  chunk_count: number | null;
  bytes: number;
  processed_at: number | null;
  finished_at: number | null;
  post_id: string | null;
  /** How often its status was queried. */
  asked: number;
  /** How often it was reported as complete. */
  told_complete: number;
}

export interface MediaRow {
  digits: string;
  position: number;
  /** Where it is pulled from. */
  url: string | null;
  /** Null until all bytes have arrived. */
  bytes: number | null;
  /** Null until it has been inspected. */
  type: string | null;
}

const SCHEMA = `
create table if not exists settings (id integer primary key, json text not null) strict;
create table if not exists accounts (
  username text primary key, open_id text not null unique, nickname text not null,
  is_private integer not null default 0, is_banned integer not null default 0,
  comment_disabled integer not null default 0, duet_disabled integer not null default 0,
  stitch_disabled integer not null default 0, max_video_seconds integer not null default 600
) strict;
create table if not exists codes (
  code text primary key, username text not null, scopes text not null, redirect_uri text not null,
  code_challenge text, expires_at integer not null
) strict;
create table if not exists tokens (
  access_token text primary key, refresh_token text unique, username text not null, scopes text not null,
  expires_at integer not null, refresh_expires_at integer not null
) strict;
create index if not exists tokens_of_account on tokens (username);
create table if not exists publishes (
  seq integer primary key autoincrement, publish_id text not null unique, digits text not null unique,
  username text not null, kind text not null, mode text not null, source text not null, at integer not null,
  request text not null, stage text not null default 'transfer', status text not null, fail_reason text,
  privacy_level text, title text not null, upload_token text, upload_expires_at integer, video_size integer,
  chunk_size integer, chunk_count integer, bytes integer not null default 0, processed_at integer,
  finished_at integer, post_id text, asked integer not null default 0, told_complete integer not null default 0
) strict;
create index if not exists publishes_of_account on publishes (username, at);
create index if not exists publishes_by_moment on publishes (username, finished_at);
create index if not exists publishes_by_post on publishes (post_id) where post_id is not null;
create index if not exists publishes_under_way on publishes (stage) where stage <> 'done';
create index if not exists publishes_by_status on publishes (status, finished_at);
create table if not exists media (
  digits text not null, position integer not null, url text, bytes integer, type text,
  primary key (digits, position)
) strict;
create table if not exists sizes (
  digits text primary key, width integer not null, height integer not null, seconds real not null
) strict;
create table if not exists faults (
  id integer primary key, target text not null, kind text not null, skip integer not null,
  times integer not null, ms integer not null
) strict;
create table if not exists outcomes (
  id integer primary key, username text, status text not null, fail_reason text not null
) strict;
create table if not exists webhooks (
  id integer primary key, event text not null, body text not null, at integer not null,
  copies integer not null, attempts integer not null default 0, state text not null default 'pending'
) strict;
create index if not exists webhooks_pending on webhooks (state) where state = 'pending';
`;

type Value = string | number | null;

export class Store {
  private readonly db: Libsql.Database;
  private readonly statements = new Map<string, Libsql.Statement>();
  private readonly mediaDir: string;

  constructor(dataDir: string) {
    this.mediaDir = join(dataDir, 'media');
    mkdirSync(this.mediaDir, { recursive: true });
    this.db = new Libsql(join(dataDir, 'sandbox.db'));
    this.db.exec('pragma busy_timeout = 2000');
    this.db.exec('pragma journal_mode = wal');
    // Commits survive a killed process; a power cut may lose the last few.
    this.db.exec('pragma synchronous = normal');
    this.db.exec(SCHEMA);
  }

  get<T>(sql: string, ...values: Value[]): T | undefined {
    return this.all<T>(sql, ...values)[0];
  }

  all<T>(sql: string, ...values: Value[]): T[] {
    return this.statement(sql).all(values) as T[];
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: Value[]): number {
    return this.statement(sql).run(values).changes;
  }

  /** Returns what the database gives the row, such as its number. */
  insert(table: string, row: Record<string, Value>, orElse = ''): number | bigint {
    const columns = Object.keys(row);
    const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) ${orElse}`;
    return this.statement(sql).run(Object.values(row)).lastInsertRowid;
  }

  /** All or nothing. Nothing is awaited inside, so no other statement can run in between. */
  transact<T>(work: () => T): T {
    this.db.exec('begin immediate');
    try {
      const result = work();
      this.db.exec('commit');
      return result;
    } catch (error) {
      // On a full disk SQLite has rolled back by itself.
      if (this.db.inTransaction) this.db.exec('rollback');
      throw error;
    }
  }

  mediaFolder(digits: string): string {
    return join(this.mediaDir, digits);
  }

  mediaFile(digits: string, position: number): string {
    return join(this.mediaFolder(digits), String(position));
  }

  async removeMedia(digits: string): Promise<void> {
    await rm(this.mediaFolder(digits), { recursive: true, force: true });
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  private statement(sql: string): Libsql.Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}
