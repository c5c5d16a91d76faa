// The client without resources, for pages that count every byte: `request` reaches every operation, and the rest stays out.
export { type AirdateOptions, type Arguments, type CallOptions, Client } from './client/client.js';
export { AirdateError, Unreachable } from './client/errors.js';
export { type ResponseInfo, responseOf } from './client/response.js';
export type * from './client/schemas.js';
export type { BodyOf, DataOf, Input, Method, Output, PathOf, QueryOf } from './client/typed.js';
