// The port to a platform: what the engine may call, and every possible outcome.
//
// Rules for every connector, tested in test/contracts/connector.test.ts:
// - A call is at most one visible act, and ends when its signal aborts. It never rejects because of the platform.
// - `later` means that the platform certainly did not accept. Any error or loss after an init may have left is `unknown`.
// - `status` changes nothing; only its `refused` means that the platform itself gave up on the post.
// - Reasons are short sentences for users, end with the platform's code in parentheses, and contain no secrets.
import type { Readable } from 'node:stream';

export type Outcome =
  /** The platform accepted the post and processes it. `upload` is set if it waits for bytes. */
  | {
      kind: 'accepted';
      publishId: string;
      socialStatus: string;
      upload?: Upload;
      /** Of an upload, if the platform reports it. */
      receivedBytes?: number;
    }
  | { kind: 'published'; socialStatus: string; postIds: string[]; postUrl?: string }
  | { kind: 'in_inbox'; socialStatus: string }
  | Setback;

interface Said {
  /** The platform's code, or ours if there was no response. */
  code: string;
  reason: string;
  /** The reference that the platform's support asks for. */
  logId?: string;
}

export type Setback =
  /** Certainly not accepted: it may be sent again. `isUnsent`: a fault on our side kept us from calling the platform. */
  | (Said & { kind: 'later'; retryAfterMs?: number; isUnsent?: true })
  /** Must not be repeated unchanged. `isRepeatable`: the platform gave up for reasons of its own; a new attempt may work. */
  | (Said & { kind: 'refused'; isRepeatable: boolean })
  /** `refresh`: the token has expired; renew it and repeat once. `consent`: the grant is gone or too small; reconnect. */
  | (Said & { kind: 'reauthorize'; cure: 'refresh' | 'consent' })
  /**
   * It may exist; only the platform can tell. `isHarmless`: whatever was accepted, no post can come of it, so the call may
   * be repeated. This holds for the init of an upload, since no bytes were sent, and for tokens: a repeated refresh either
   * works or says that the grant is gone.
   */
  | (Said & { kind: 'unknown'; isHarmless: boolean });

export type Result<Value> = { kind: 'ok'; value: Value } | Setback;

/** What a person granted; lifetimes count from the time of the request. */
export interface Grant {
  accessToken: string;
  lifetimeMs: number;
  /** Replaces the refresh token it was requested with, which is dead. Save it before anything else. */
  refreshToken: string;
  refreshLifetimeMs: number;
  openId: string;
  /** May be fewer than requested. */
  scopes: string[];
}

export interface Identity {
  openId: string;
  displayName: string;
  avatarUrl: string | null;
}

/** What the creator may choose at the moment. */
export interface CreatorOptions {
  username: string;
  nickname: string;
  avatarUrl: string | null;
  privacyLevels: string[];
  isCommentDisabled: boolean;
  isDuetDisabled: boolean;
  isStitchDisabled: boolean;
  maxVideoSeconds: number;
}

export interface PostText {
  title: string;
  caption: string | null;
  hashtags: string | null;
}

/** A post as the engine wants it published. */
export interface Draft extends PostText {
  type: 'slides' | 'video';
  mode: 'direct' | 'inbox';
  privacyLevel: string | null;
  disableComment: boolean;
  disableDuet: boolean;
  disableStitch: boolean;
  isBrandedContent: boolean;
  isOwnBrand: boolean;
}

/** Something that the platform would refuse, or that will not appear as written. */
export interface Finding {
  level: 'error' | 'warning';
  code: string;
  detail: string;
  field?: string;
}

export interface ChunkPlan {
  videoSize: number;
  chunkSize: number;
  chunkCount: number;
}

/** Where the bytes of a video go, and in which chunks. The address is a secret. */
export interface Upload {
  address: string;
  contentType: string;
  plan: ChunkPlan;
}

/** The bytes from `start` up to, not including, `end`. */
export type ReadRange = (start: number, end: number) => Promise<Readable>;

export type ChunkOutcome =
  /** Continue with the chunk that begins here: the next one, or where the platform really is. */
  | { kind: 'next'; offset: number }
  /** All bytes have arrived. */
  | { kind: 'done' }
  /** The platform expects another offset and does not say which: ask `status`, then `resumeAt`. */
  | { kind: 'offset_mismatch'; code: string; reason: string }
  /** The address accepts nothing more. The attempt can only be observed. */
  | { kind: 'gone'; code: string; reason: string }
  | { kind: 'refused'; code: string; reason: string }
  /** May or may not have been accepted: the same chunk may be sent again; at worst the response says where to continue. */
  | { kind: 'later'; code: string; reason: string; retryAfterMs?: number };

/** A verified webhook. Only a notification: `status` tells the truth. */
export interface WebhookNotice {
  event: string;
  publishId: string | null;
  openId: string | null;
  isGrantGone: boolean;
  /** Identical for repeated deliveries of one webhook. */
  key: string;
}

export interface ConsentRequest {
  redirectUri: string;
  state: string;
  /** 43 to 128 unreserved characters, new each time, stored for `exchange`. */
  verifier: string;
  scopes: readonly string[];
}

export interface Connector {
  /** Without any request: exactly what an init would send, except for addresses. */
  describe(draft: Draft, media: SlideMedia | VideoMedia): Record<string, unknown>;
  /** What the platform is known to refuse. With `creator` null, checks that depend on the creator are skipped. */
  check(draft: Draft, media: SlideMedia | VideoMedia, creator: CreatorOptions | null): Finding[];

  creator(accessToken: string, signal: AbortSignal): Promise<Result<CreatorOptions>>;
  publishSlides(accessToken: string, draft: Draft, media: SlideMedia, signal: AbortSignal): Promise<Outcome>;
  beginVideo(accessToken: string, draft: Draft, media: VideoMedia, signal: AbortSignal): Promise<Outcome>;
  /** `offset` is 0, or comes from an earlier chunk or `resumeAt`. */
  sendChunk(upload: Upload, offset: number, read: ReadRange, signal: AbortSignal): Promise<ChunkOutcome>;
  /** Where to continue an upload after this many bytes have arrived. */
  resumeAt(plan: ChunkPlan, receivedBytes: number): number;
  status(accessToken: string, asked: StatusQuestion, signal: AbortSignal): Promise<Outcome>;
  /** Best effort: `status` tells the result. */
  cancel(accessToken: string, publishId: string, signal: AbortSignal): Promise<Result<null>>;

  authorizeUrl(request: ConsentRequest): string;
  exchange(
    code: string,
    request: Omit<ConsentRequest, 'state' | 'scopes'>,
    signal: AbortSignal,
  ): Promise<Result<Grant>>;
  refresh(refreshToken: string, signal: AbortSignal): Promise<Result<Grant>>;
  /** Needs a live access token: the platform refuses an expired one. */
  revoke(accessToken: string, signal: AbortSignal): Promise<Result<null>>;
  identity(accessToken: string, signal: AbortSignal): Promise<Result<Identity>>;

  /** Null if it is not from the platform, too old, or altered. `body` holds the raw bytes. */
  readWebhook(headers: Readonly<Record<string, unknown>>, body: Buffer, now: number): WebhookNotice | null;
}

export interface SlideMedia {
  /** In order. The platform fetches them itself, so an init alone can publish. */
  addresses: readonly string[];
}

export interface VideoMedia {
  bytes: number;
  contentType: string;
  durationMs?: number | null;
}

export interface StatusQuestion {
  publishId: string;
  /** For the URL of the post. */
  username: string | null;
}
