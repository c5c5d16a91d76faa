// What all parts of the sandbox share: its options, store, clock and settings.
import type { Store } from './store.js';

export interface SandboxOptions {
  /** For its own database and media; created if missing. */
  dataDir: string;
  /** Its own base URL, known once the server listens. */
  publicUrl(): string;
  clientKey: string;
  clientSecret: string;
  /** Built into a service: it works for that service alone. Null: for any client on this machine. */
  mounted?: Mounted | null;
  /** Enforces the platform's real rules: https, URL ownership, options by account, limits and caps. */
  strict: boolean;
  /** Opens /__control. */
  control: boolean;
  /** From the last byte to the end of processing. */
  processingMs: number;
  /** Where webhooks go; null: none are sent. */
  webhookUrl(): string | null;
  log?: Log;
  /** For everything with a date: tokens, codes, 24-hour windows. Processing takes real time. */
  clock?: { now(): number };
  /** How long pulling from a URL that does not answer is retried. */
  pullTimeoutMs?: number;
  /** How long work of its own waits after it could not be saved. */
  retryMs?: number;
}

const RETRY_MS = 5_000;
export const retryMsOf = ({ options }: Platform) => options.retryMs ?? RETRY_MS;

export interface Mounted {
  /** The only URL that the consent page returns to. */
  callbackUrl(): string;
  /** The only origin that files are pulled from. */
  mediaOrigin(): string;
}

export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/**
 * The state of the client on the platform, and quirks of the real platform that break clients. POST /__control/settings
 * changes them; they survive restarts.
 */
export interface Settings {
  /** How many status queries do not know a new publish id yet. */
  unknown_after_init: number;
  /** When the id of a public post is reported: with the first complete status, with the second, or never. */
  post_ids: 'at_once' | 'later' | 'never';
  /** The HTTP status of token endpoint errors. */
  oauth_error_status: number;
  bad_parameter_code: 'invalid_params' | 'invalid_param';
  /** The HTTP status of the error for too many pending shares. */
  pending_share_status: number;
  /** Errors carry an empty `data`, or none. */
  data_in_errors: boolean;
  access_token_seconds: number;
  /** How the Content-Range of a chunk's response counts arrived bytes; the documentation allows both readings. */
  uploaded_range: 'last_byte' | 'count';
  /** How often each webhook is sent, even if the first one was accepted. */
  webhook_copies: number;
  /** Enforces the caps below, and that of pending shares, without the other rules of strict mode. */
  caps: boolean;
  // Properties of the client, used only in strict mode and with `caps`.
  audited: boolean;
  /** Creators per 24 hours; null: unlimited. */
  active_user_cap: number | null;
  /** Direct posts per creator and 24 hours. */
  posts_per_day: number;
  /** Verified URLs of the client: domains (`media.example.com`) and prefixes (`https://example.com/videos/`). */
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
  caps: false,
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

/** The defaults, overridden by what POST /__control/settings stored. */
export function loadSettings(store: Store): Settings {
  const stored = store.get<{ json: string }>('select json from settings');
  return { ...DEFAULT_SETTINGS, ...(stored ? JSON.parse(stored.json) : {}) };
}

export function saveSettings({ store, settings }: Platform, changes: Partial<Settings>): void {
  Object.assign(settings, changes);
  store.run('insert or replace into settings (id, json) values (1, ?)', JSON.stringify(settings));
}
