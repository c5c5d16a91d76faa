// The port to a platform: what the engine may call, and every possible outcome.
//
// A post goes out in three steps: `prepare` is invisible and may be repeated, `submit` is the one visible act, `observe` asks
// what became of it. A platform that waits for bytes accepts the post in `prepare`; its visible act is the last chunk.
//
// Rules for every connector, tested in test/contracts/connector.test.ts:
// - A call is at most one visible act, and ends when its signal aborts. It never rejects because of the platform.
// - `later` means that the platform certainly did not accept. Any error or loss after a submit may have left is `unknown`.
// - `observe` changes nothing; only its `refused` and `blocked` mean that the platform itself gave up on the post.
// - Reasons are short sentences for users, end with the platform's code in parentheses, and contain no secrets.
import type { Readable } from 'node:stream';

/** What the engine may do when the answer to a submit was lost. */
export type LostAnswer =
  /**
   * The platform fetches the files itself, and nothing comes of the submit once their URLs are dead. If a file was fetched,
   * the outcome is unknown; otherwise the URLs are revoked and a new attempt begins. There is nothing to prepare.
   */
  | 'revoke'
  /** The memo becomes one post at most, and `observe` tells whether it has: ask, and submit the same memo again if not. */
  | 'ask'
  /** A repeated submit of the same memo makes no second post and gets the first one's answer: repeat it. */
  | 'repeat'
  /** Only a person can find out. */
  | 'never';

/** Prepared, and to be submitted with this memo: whatever identifies it on the platform. May hold secrets. */
export interface Ready {
  kind: 'ready';
  memo: string;
}

/** Answer of `observe`: nothing has become of the memo yet. */
export interface Absent {
  kind: 'absent';
}

/** The platform accepted the post and processes it. */
export interface Accepted {
  kind: 'accepted';
  publishId: string;
  socialStatus: string;
  /** Set if it waits for bytes. */
  upload?: VideoUpload;
  /** How many bytes of an upload have arrived, if the platform reports it. */
  receivedBytes?: number;
}

export type Outcome =
  | Accepted
  | {
      kind: 'published';
      socialStatus: string;
      /** Known, like the address, only once the platform has made the post public. */
      postId?: string;
      postUrl?: string;
    }
  | { kind: 'in_inbox'; socialStatus: string }
  | PlatformFailure;

interface FailureText {
  /** The platform's code, or ours if there was no response. */
  code: string;
  reason: string;
}

export type PlatformFailure =
  /** Certainly not accepted: it may be sent again. `isUnsent`: a fault on our side kept us from calling the platform. */
  | (FailureText & { kind: 'later'; retryAfterMs?: number; isUnsent?: true })
  /** Must not be repeated unchanged. `isRepeatable`: the platform gave up for reasons of its own; a new attempt may work. */
  | (FailureText & { kind: 'refused'; isRepeatable: boolean })
  /**
   * Certainly not accepted, and neither is the next post of the account, or of anyone (`platform`), for a while. `isRolling`: the
   * platform counts what it took in the last `windowMs`, so it takes the next posts one by one as those get older.
   */
  | (FailureText & { kind: 'blocked'; scope: 'account' | 'platform'; windowMs: number; isRolling: boolean })
  /** `refresh`: the token has expired; renew it and repeat once. `consent`: the grant is gone or too small; reconnect. */
  | (FailureText & { kind: 'reauthorize'; cure: 'refresh' | 'consent' })
  /** The platform may have accepted; only it can tell. */
  | (FailureText & { kind: 'unknown' });

export type Result<Value> = { kind: 'ok'; value: Value } | PlatformFailure;

export interface Tokens {
  accessToken: string;
  /** Null if the platform has none: then the access token renews itself. */
  refreshToken: string | null;
}

/** What a person granted; lifetimes count from the time of the request. Save it before anything else. */
export interface Grant extends Tokens {
  lifetimeMs: number;
  /** How long the grant can be renewed without a person. */
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
export interface CreatorInfo {
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
  /** The cover of slides, counted from 0. Absent in attempts from before covers could be chosen, like `coverMs`. */
  coverIndex?: number | null;
  /** Where the cover frame of a video is. */
  coverMs?: number | null;
}

/** Something that the platform would refuse, or that will not appear as written. */
export interface Finding {
  code: string;
  detail: string;
  /** JSON pointer to a field of the post; null if no field is to blame. */
  pointer: string | null;
  /** An error would be refused; a warning goes out all the same. */
  level: 'error' | 'warning';
}

/** What the platform offers at all. What an account may choose of it comes from `creator`. */
export interface Supports {
  postTypes: readonly Draft['type'][];
  modes: readonly Draft['mode'][];
  toggles: readonly ToggleName[];
}

/** The toggles of a post, by their names in the API. */
export const TOGGLE_NAMES = [
  'disable_comment',
  'disable_duet',
  'disable_stitch',
  'brand_content_toggle',
  'brand_organic_toggle',
] as const;
export type ToggleName = (typeof TOGGLE_NAMES)[number];

export interface ChunkPlan {
  videoSize: number;
  chunkSize: number;
  chunkCount: number;
}

/** Where the bytes of a video go, and in which chunks. The address is a secret. */
export interface VideoUpload {
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
  /** The platform expects another offset and does not say which: ask `observe`, then `resumeAt`. */
  | { kind: 'offset_mismatch'; code: string; reason: string }
  /** The address accepts nothing more. The attempt can only be observed. */
  | { kind: 'gone'; code: string; reason: string }
  | { kind: 'refused'; code: string; reason: string }
  /** May or may not have been accepted: the same chunk may be sent again; at worst the response says where to continue. */
  | { kind: 'later'; code: string; reason: string; retryAfterMs?: number };

/** A verified webhook. Only a notification: `observe` tells the truth. */
export interface WebhookNotice {
  publishId: string | null;
  openId: string | null;
  isGrantGone: boolean;
  /** The post is public now, so `observe` tells its id. */
  isPublic: boolean;
  /** Identical for repeated deliveries of one webhook. */
  key: string;
}

/** What a person is asked for, and what their answer allows. */
export interface ConsentTerms {
  scopes: readonly string[];
  allowsDirect(granted: readonly string[]): boolean;
  allowsInbox(granted: readonly string[]): boolean;
  /** What is not possible with these scopes, in words. */
  missingScopes(granted: readonly string[]): { scope: string; meaning: string }[];
}

export interface ConsentRequest {
  redirectUri: string;
  state: string;
  /** 43 to 128 unreserved characters, new each time, stored for `exchange`. */
  verifier: string;
  scopes: readonly string[];
  /** The name of the organization that asks. */
  organization: string;
  /** The username of the account to be reconnected; null: any account. */
  username: string | null;
}

export interface Connector {
  readonly platform: string;
  readonly supports: Supports;
  readonly consent: ConsentTerms;
  /** Codes of failures that are known beforehand. Others are the platform's own, and count as one in statistics. */
  readonly codes: ReadonlySet<string>;
  /** The codes among them of `blocked`. */
  readonly blockCodes: ReadonlySet<string>;

  /** Exactly what would be sent, except for addresses. Makes no request. */
  describe(draft: Draft, media: Media): Record<string, unknown>;
  /** What the platform is known to refuse. With `creator` null, checks that depend on the creator are skipped. */
  check(draft: Draft, media: Media, creator: CreatorInfo | null): Finding[];
  /** What a lost answer to the submit of such a post allows. Stored with the attempt. */
  lostAnswerPolicy(draft: Draft): LostAnswer;

  creator(accessToken: string, signal: AbortSignal): Promise<Result<CreatorInfo>>;
  /** `ready`, or accepted with an upload. Not called for the class `revoke`. */
  prepare(accessToken: string, draft: Draft, media: Media, signal: AbortSignal): Promise<Ready | Outcome>;
  /** `memo` is the one of `prepare`. */
  submit(
    accessToken: string,
    draft: Draft,
    media: Media,
    memo: string | null,
    signal: AbortSignal,
  ): Promise<Accepted | PlatformFailure>;
  /** `offset` is 0, or comes from an earlier chunk or `resumeAt`. */
  sendChunk(upload: VideoUpload, offset: number, read: ReadRange, signal: AbortSignal): Promise<ChunkOutcome>;
  /** Where to continue an upload after this many bytes have arrived. */
  resumeAt(plan: ChunkPlan, receivedBytes: number): number;
  /** About a memo, `accepted` with its publish id or `absent`. */
  observe(accessToken: string, question: StatusQuery, signal: AbortSignal): Promise<Outcome | Absent>;

  authorizeUrl(request: ConsentRequest): string;
  exchange(
    code: string,
    request: Pick<ConsentRequest, 'redirectUri' | 'verifier'>,
    signal: AbortSignal,
  ): Promise<Result<Grant>>;
  /** Which token it exchanges, and whether that token is dead afterwards, is the connector's business. */
  renew(tokens: Tokens, signal: AbortSignal): Promise<Result<Grant>>;
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

export type Media = SlideMedia | VideoMedia;

/** About a post that was accepted, by its publish id; or about one that may have been, by its memo. */
export interface StatusQuery {
  publishId: string | null;
  memo?: string | null;
  /** For the URL of the post. */
  username: string | null;
}
