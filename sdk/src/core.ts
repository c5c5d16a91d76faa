// The client without resources, for pages that count every byte: `request` reaches every operation, and the rest stays out.
export { type AirdateOptions, type Arguments, type CallOptions, Client } from './client.js';
export { AirdateError, Unreachable } from './errors.js';
export { type ResponseInfo, responseOf } from './response.js';
export type * from './schemas.js';
export type { BodyOf, DataOf, Input, Method, Output, PathOf, QueryOf } from './typed.js';
