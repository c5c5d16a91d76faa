import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { Dispatch, Post, Preflight, Published, PublishStatus } from '../client/schemas.js';
import type { BodyOf, QueryOf } from '../client/typed.js';
import type { Outcome, SentOutcome } from './outcome.js';
import { Resource } from './resource.js';
import { publishAndWait, type WaitOptions, waitUntilPublished } from './wait.js';

const ONE = '/api/v1/posts/{id}';

/** How a post becomes public, and what became of it. */
export class Publishing extends Resource {
  /**
   * Publishes a post now; resolves once the platform accepts it. It is sent once, however often the connection breaks. If the
   * outcome stays unknown, it throws `OutcomeUnknown`: then look, and do not publish again.
   * @example
   * ```ts
   * const { publish_id } = await airdate.posts.publish(readyId, {
   *   social_account_id: accountId,
   *   privacy_level: 'PUBLIC_TO_EVERYONE',
   * });
   * console.log(publish_id);
   * ```
   */
  publish(id: string, body: BodyOf<'publishPost'>, options?: CallOptions): Promise<Published> {
    return this.client.data('POST', `${ONE}/publish`, { path: { id }, body, ...options });
  }

  /**
   * Publishes a post now, and waits for what becomes of it. A refusal is thrown; everything else is a value, `failed` and `unknown`
   * too. Look at its `status`, or call `orThrow()`.
   * @example
   * ```ts
   * const outcome = await airdate.posts.publishAndWait(readyId, {
   *   social_account_id: accountId,
   *   privacy_level: 'PUBLIC_TO_EVERYONE',
   * });
   * if (outcome.status === 'published') console.log('live:', outcome.post_url);
   * else if (outcome.status === 'unknown') console.log('look at the platform; do not publish it again');
   * else if (outcome.status === 'failed') console.log('not published:', outcome.fail_reason);
   * ```
   */
  publishAndWait(
    id: string,
    body: BodyOf<'publishPost'>,
    options?: WaitOptions & Pick<CallOptions, 'idempotencyKey'>,
  ): Promise<SentOutcome> {
    return publishAndWait(this.client, id, body, options);
  }

  /**
   * Waits until a post that is being published, or is scheduled, has an outcome. A draft has none to wait for: `not_sent`. When the
   * `timeout` is over, the status is `scheduled` if the slot is still ahead, or else `processing`.
   * @example
   * ```ts
   * await airdate.posts.publish(readyId, { social_account_id: accountId, privacy_level: 'SELF_ONLY' });
   * const { status } = await airdate.posts.waitUntilPublished(readyId, { timeout: 60_000 });
   * console.log(status); // published, in_inbox, failed, unknown or not_sent; scheduled or processing after the timeout
   * ```
   */
  waitUntilPublished(id: string, options?: WaitOptions): Promise<Outcome> {
    return waitUntilPublished(this.client, id, options);
  }

  /**
   * What the platform says about the last attempt.
   * @example
   * ```ts
   * const { status, post_url } = await airdate.posts.publishStatus(publishedId);
   * console.log(status, post_url);
   * ```
   */
  publishStatus(id: string, options?: CallOptions): Promise<PublishStatus> {
    return this.client.data('GET', `${ONE}/publish-status`, { path: { id }, ...options });
  }

  /**
   * Everything that would be refused, and exactly what would be sent.
   * @example
   * ```ts
   * const { ready, problems } = await airdate.posts.preflight(postId);
   * if (!ready) for (const { code, detail } of problems) console.log(code, detail);
   * ```
   */
  preflight(id: string, options?: CallOptions): Promise<Preflight> {
    return this.client.data('GET', `${ONE}/preflight`, { path: { id }, ...options });
  }

  /**
   * Tells what became of an attempt whose outcome is unknown, after a look at the platform.
   * @example
   * ```ts
   * const post = await airdate.posts.resolve(unknownId, 'posted');
   * console.log(post.status);
   * ```
   */
  resolve(id: string, outcome: BodyOf<'resolvePost'>['outcome'], options?: CallOptions): Promise<Post> {
    return this.client.data('POST', `${ONE}/resolve`, { path: { id }, body: { outcome }, ...options });
  }

  /**
   * The attempts to publish a post, newest first.
   * @example
   * ```ts
   * for await (const { outcome, error_message } of airdate.posts.dispatches(publishedId)) console.log(outcome, error_message);
   * ```
   */
  dispatches(id: string, query: QueryOf<'listPostDispatches'> = {}, options?: CallOptions): List<Dispatch> {
    return this.pages(`${ONE}/dispatches`, query, options, { path: { id } });
  }
}
