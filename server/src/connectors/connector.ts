// The port to a platform: what the engine may ask of it, and what every answer can be.
//
// Rules for every connector, tested in test/contracts/connector.test.ts:
// - A call is at most one visible act, and ends when its signal does. It never rejects because of the platform.
// - `later` is only for what surely was not taken. Whatever is thrown or lost once an init may have left is `unknown`.
// - `status` changes nothing; its `refused` means that the platform itself gave the post up, and nothing else does.
// - Reasons are short sentences for users, end with the platform's code in parentheses, and hold nothing secret.
import type { Readable } from 'node:stream';

export type Outcome =
  /** The platform has it and works on it. `upload` is there if it waits for bytes. */
  | {
      kind: 'accepted';
      publishId: string;
      socialStatus: string;
      upload?: Upload;
      /** Of an upload, as far as the platform tells. */
      receivedBytes?: number;
    }
  | { kind: 'published'; socialStatus: string; postIds: string[]; postUrl?: string }
  | { kind: 'in_inbox'; socialStatus: string }
  | Setback;

interface Said {
  /** The platform's own, or what happened instead of an answer. */
  code: string;
  reason: string;
  /** What the platform's support asks for. */
  logId?: string;
}

export type Setback =
  /** Certainly not taken: it may be sent again. `isUnsent`: the platform was not even asked, because of trouble of our own. */
  | (Said & { kind: 'later'; retryAfterMs?: number; isUnsent?: true })
  /** Not to be repeated as it is. `isRepeatable`: the platform gave up for a reason of its own; a new attempt may work. */
  | (Said & { kind: 'refused'; isRepeatable: boolean })
  /** A token too old is cured by `refresh` and one repetition; a grant that is gone or too small only by `consent`. */
  | (Said & { kind: 'reauthorize'; cure: 'refresh' | 'consent' })
  /**
   * It may be there; only the platform can tell. `isHarmless`: whatever was taken, no post can come of it, so the call may
   * be repeated. So with the init of an upload, as nobody has sent bytes, and with tokens: a refresh that is repeated
   * either works or says that the grant is gone.
   */
  | (Said & { kind: 'unknown'; isHarmless: boolean });

export type Result<Value> = { kind: 'ok'; value: Value } | Setback;

/** What a person allowed, for as long as it lasts from the moment of asking. */
export interface Grant {
  accessToken: string;
  lifetimeMs: number;
  /** Replaces the one it was asked with, which is dead. To be saved before anything else is done. */
  refreshToken: string;
  refreshLifetimeMs: number;
  openId: string;
  /** May be fewer than were asked for. */
  scopes: string[];
}

export interface Identity {
  openId: string;
  displayName: string;
  avatarUrl: string | null;
}

/** What the creator may choose just now. */
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

/** A post as the engine wants it to appear. */
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

/** Something that would be refused, or that will not appear as it was written. */
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

/** Where the bytes of a video go, and in which pieces. The address is a secret. */
export interface Upload {
  address: string;
  contentType: string;
  plan: ChunkPlan;
}

/** The bytes from `start` to before `end`. */
export type ReadRange = (start: number, end: number) => Promise<Readable>;

export type ChunkOutcome =
  /** Go on with the chunk that begins here: the next one, or where the platform really is. */
  | { kind: 'next'; offset: number }
  /** All bytes have arrived. */
  | { kind: 'done' }
  /** The platform is somewhere else and does not say where: `status` knows, see `resumeAt`. */
  | { kind: 'offset_mismatch'; code: string; reason: string }
  /** The address takes nothing any more. What it belonged to can only be observed. */
  | { kind: 'gone'; code: string; reason: string }
  | { kind: 'refused'; code: string; reason: string }
  /** Maybe taken, maybe not: the same chunk may be sent again, at worst the answer is where to go on. */
  | { kind: 'later'; code: string; reason: string; retryAfterMs?: number };

/** A webhook that is really the platform's. Only a hint: the truth is asked for with `status`. */
export interface WebhookNotice {
  event: string;
  publishId: string | null;
  openId: string | null;
  isGrantGone: boolean;
  /** The same for repetitions of one webhook. */
  key: string;
}

export interface ConsentRequest {
  redirectUri: string;
  state: string;
  /** 43 to 128 unreserved characters, new each time, kept for `exchange`. */
  verifier: string;
  scopes: readonly string[];
}

export interface Connector {
  /** Changes nothing and asks nobody: exactly what an init would send, but for addresses. */
  describe(draft: Draft, media: SlideMedia | VideoMedia): Record<string, unknown>;
  /** What can be known to be refused. Without options, what depends on the creator is left out. */
  check(draft: Draft, media: SlideMedia | VideoMedia, creator: CreatorOptions | null): Finding[];

  creator(accessToken: string, signal: AbortSignal): Promise<Result<CreatorOptions>>;
  publishSlides(accessToken: string, draft: Draft, media: SlideMedia, signal: AbortSignal): Promise<Outcome>;
  beginVideo(accessToken: string, draft: Draft, media: VideoMedia, signal: AbortSignal): Promise<Outcome>;
  /** `offset` is 0, or what an earlier chunk or `resumeAt` said. */
  sendChunk(upload: Upload, offset: number, read: ReadRange, signal: AbortSignal): Promise<ChunkOutcome>;
  /** Where to go on with an upload of which so much has arrived. */
  resumeAt(plan: ChunkPlan, receivedBytes: number): number;
  status(accessToken: string, asked: StatusQuestion, signal: AbortSignal): Promise<Outcome>;
  /** Best effort: what became of it is told by `status`. */
  cancel(accessToken: string, publishId: string, signal: AbortSignal): Promise<Result<null>>;

  authorizeUrl(request: ConsentRequest): string;
  exchange(
    code: string,
    request: Omit<ConsentRequest, 'state' | 'scopes'>,
    signal: AbortSignal,
  ): Promise<Result<Grant>>;
  refresh(refreshToken: string, signal: AbortSignal): Promise<Result<Grant>>;
  /** With a live access token: the platform refuses one that is too old. */
  revoke(accessToken: string, signal: AbortSignal): Promise<Result<null>>;
  identity(accessToken: string, signal: AbortSignal): Promise<Result<Identity>>;

  /** Null if it is not the platform's, too old, or changed on the way. `body` is what came, byte for byte. */
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
  /** For the address of the post. */
  username: string | null;
}
