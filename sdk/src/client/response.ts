// What a response said beside its body. Objects stay exactly as the API sends them, so this is kept aside.

export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  /** Of a post: send it back as `ifMatch` to change the post only if it is still the same. */
  readonly etag: string | undefined;
  /** The response is that of an earlier request with the same idempotency key, and this one changed nothing. */
  readonly idempotencyReplayed: boolean;
}

const known = new WeakMap<object, ResponseInfo>();

export function noteResponse(result: unknown, { status, headers }: Response): void {
  if (typeof result !== 'object' || result === null) return;
  known.set(result, {
    status,
    headers,
    requestId: headers.get('x-request-id') ?? undefined,
    etag: headers.get('etag') ?? undefined,
    idempotencyReplayed: headers.get('idempotency-replayed') === 'true',
  });
}

/** The same response, told of a part of its body. */
export function shareResponse(of: object, part: unknown): void {
  const info = known.get(of);
  if (info && typeof part === 'object' && part !== null) known.set(part, info);
}

/**
 * What the response said beside this object, which a method of the SDK has returned.
 *
 * @example
 * ```ts
 * import { responseOf } from '@airdate/sdk';
 *
 * const post = await airdate.posts.get(postId);
 * await airdate.posts.update(postId, { title: 'Better' }, { ifMatch: responseOf(post)?.etag });
 * ```
 */
export const responseOf = (result: object): ResponseInfo | undefined => known.get(result);
