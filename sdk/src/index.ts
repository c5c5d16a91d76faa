// What users of the package see.
export { Airdate } from './airdate.js';
export { type AirdateOptions, type Arguments, type CallOptions, Client } from './client.js';
export {
  AirdateError,
  Conflict,
  Forbidden,
  NotFound,
  OutcomeUnknown,
  RateLimited,
  Refused,
  Unauthorized,
  Unavailable,
  Unreachable,
  ValidationError,
} from './errors.js';
export type { List, Page } from './pages.js';
export type { AssetList } from './resources/assets.js';
export type { FollowOptions } from './resources/events.js';
export type { Slot } from './resources/posts.js';
export { type ResponseInfo, responseOf } from './response.js';
export type * from './schemas.js';
export type { BodyOf, DataOf, Input, Method, Output, PathOf, QueryOf } from './typed.js';
export type { FileSource } from './upload/source.js';
export type { UploadOptions } from './upload/upload.js';
export { verifyWebhook, type WebhookMessage, WebhookVerificationError } from './verify-webhook.js';
export type { Outcome, WaitOptions } from './wait.js';
