// What users of the package see.
export { Airdate } from './airdate.js';
export { type AirdateOptions, type Arguments, type CallOptions, Client } from './client/client.js';
export {
  AirdateError,
  Conflict,
  type ErrorCode,
  Forbidden,
  NotFound,
  NotPublished,
  OutcomeUnknown,
  RateLimited,
  Refused,
  Unauthorized,
  Unavailable,
  Unreachable,
  ValidationError,
} from './client/errors.js';
export type {
  FailedOutcome,
  NotSentOutcome,
  ProcessingOutcome,
  PublishedOutcome,
  ScheduledOutcome,
  UnknownOutcome,
} from './client/outcomes.js';
export type { History, List, Page } from './client/pages.js';
export { type ResponseInfo, responseOf } from './client/response.js';
export type * from './client/schemas.js';
export type { BodyOf, DataOf, Input, Method, Output, PathOf, QueryOf } from './client/typed.js';
export type { AssetList } from './resources/assets.js';
export type { FollowOptions } from './resources/events.js';
export type { Outcome, SentOutcome } from './resources/outcome.js';
export type { Slot } from './resources/posts.js';
export type { WaitOptions } from './resources/wait.js';
export type { UploadOptions } from './upload/sending.js';
export type { FileSource } from './upload/source.js';
export { verifyWebhook, WebhookVerificationError } from './verify-webhook.js';
