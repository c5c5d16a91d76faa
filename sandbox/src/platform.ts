// What all parts of the sandbox platform share: how it was started, its memory, its clock, and its switches.
import type { Store } from './store.js';

export interface SandboxOptions {
  /** For its own database and media; made if it is not there. */
  dataDir: string;
  /** Its own base address, known once somebody listens. */
  publicUrl(): string;
  clientKey: string;
  clientSecret: string;
  /** The platform's real rules: https, ownership, options by account, limits and caps. */
  strict: boolean;
  /** Opens /__control. */
  control: boolean;
  /** From the last byte to the end of processing. */
  processingMs: number;
  /** Where webhooks go; null: nowhere. */
  webhookUrl(): string | null;
  log?: Log;
  /** For everything that has a date: tokens, codes, windows of 24 hours. Work itself takes real time. */
  clock?: { now(): number };
  /** How long pulling from an address that does not answer is tried again. */
  pullPatienceMs?: number;
}

export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/**
 * The state of the client on the platform, and quirks of the real platform that break clients. They are changed by
 * POST /__control/settings and kept across restarts.
 */
export interface Settings {
  /** How often a new publish id is unknown to the status endpoint before it is known. */
  unknown_after_init: number;
  /** When the id of a public post is told: with the first complete status, with the second, or never. */
  post_ids: 'at_once' | 'later' | 'never';
  /** The HTTP status of errors of the token endpoints. */
  oauth_error_status: number;
  bad_parameter_code: 'invalid_params' | 'invalid_param';
  /** The HTTP status of too many pending shares. */
  pending_share_status: number;
  /** Errors carry an empty `data`, or none. */
  data_in_errors: boolean;
  access_token_seconds: number;
  /** How the Content-Range of an answered chunk names what has arrived; the documentation allows both readings. */
  uploaded_range: 'last_byte' | 'count';
  /** How often each webhook is sent although the first one was taken. */
  webhook_copies: number;
  // Of the client, and looked at in strict mode only.
  audited: boolean;
  /** Creators per 24 hours; null: as many as like. */
  active_user_cap: number | null;
  /** Direct posts per creator and 24 hours. */
  posts_per_day: number;
  /** What the client has proved to own: domains (`media.example.com`) and prefixes (`https://example.com/videos/`). */
  verified_urls: string[];
}

export const DEFAULT_SETTINGS: Readonly<Settings> = {
  unknown_after_init: 0,
  post_ids: 'at_once',
  oauth_error_status: 200,
  bad_parameter_code: 'invalid_params',
  pending_share_status: 400,
  data_in_errors: true,
  access_token_seconds: 7200,
  uploaded_range: 'last_byte',
  webhook_copies: 1,
  audited: true,
  active_user_cap: null,
  posts_per_day: 15,
  verified_urls: [],
};

export interface Platform {
  readonly options: SandboxOptions;
  readonly store: Store;
  readonly settings: Settings;
  readonly log: Log;
  now(): number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** What the client is started with, and then changed by control. */
export function loadSettings(store: Store): Settings {
  const kept = store.get<{ json: string }>('select json from settings');
  return { ...DEFAULT_SETTINGS, ...(kept ? JSON.parse(kept.json) : {}) };
}

export function saveSettings({ store, settings }: Platform, changes: Partial<Settings>): void {
  Object.assign(settings, changes);
  store.run('insert or replace into settings (id, json) values (1, ?)', JSON.stringify(settings));
}
