import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { NewWebhook, Webhook, WebhookDelivery, WebhookTest } from '../client/schemas.js';
import type { BodyOf, DataOf, QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

const ONE = '/api/v1/webhooks/{id}';

export class Webhooks extends Resource {
  /**
   * The organization's webhooks.
   * @example
   * ```ts
   * for await (const webhook of airdate.webhooks.list()) console.log(webhook.url, webhook.enabled);
   * ```
   */
  list(query: QueryOf<'listWebhooks'> = {}, options?: CallOptions): List<Webhook> {
    return this.pages('/api/v1/webhooks', query, options);
  }

  /**
   * One webhook.
   * @example
   * ```ts
   * console.log((await airdate.webhooks.get(webhookId)).failing_since);
   * ```
   */
  get(id: string, options?: CallOptions): Promise<Webhook> {
    return this.client.data('GET', ONE, { path: { id }, ...options });
  }

  /**
   * Creates a webhook. Its secret, for `verifyWebhook`, is only in this response.
   * @example
   * ```ts
   * const { secret } = await airdate.webhooks.create({
   *   url: 'https://example.com/hooks/airdate',
   *   types: ['post.published', 'post.publish_failed'],
   * });
   * console.log(secret.startsWith('whsec_'));
   * ```
   */
  create(body: BodyOf<'createWebhook'>, options?: CallOptions): Promise<NewWebhook> {
    return this.client.data('POST', '/api/v1/webhooks', { body, ...options });
  }

  /**
   * Changes a webhook, disables or enables it.
   * @example
   * ```ts
   * await airdate.webhooks.update(webhookId, { enabled: false });
   * ```
   */
  update(id: string, body: BodyOf<'updateWebhook'>, options?: CallOptions): Promise<Webhook> {
    return this.client.data('PATCH', ONE, { path: { id }, body, ...options });
  }

  /**
   * Deletes a webhook, with the log of its deliveries.
   * @example
   * ```ts
   * await airdate.webhooks.delete(webhookId);
   * ```
   */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', ONE, { path: { id }, ...options });
  }

  /**
   * Gives it a new secret. Messages are signed with both for a while.
   * @example
   * ```ts
   * const { secret, previous_secret_until } = await airdate.webhooks.rotate(webhookId);
   * console.log(secret, 'the old one is used until', previous_secret_until);
   * ```
   */
  rotate(id: string, options?: CallOptions): Promise<NewWebhook> {
    return this.client.data('POST', `${ONE}/rotate`, { path: { id }, ...options });
  }

  /**
   * Sends a test message now, and tells how the endpoint answered.
   * @example
   * ```ts
   * const { delivered, status } = await airdate.webhooks.test(webhookId);
   * console.log(delivered, status);
   * ```
   */
  test(id: string, options?: CallOptions): Promise<WebhookTest> {
    return this.client.data('POST', `${ONE}/test`, { path: { id }, ...options });
  }

  /**
   * Sends every event since then that the endpoint has not received.
   * @example
   * ```ts
   * const yesterday = new Date(Date.now() - 86_400_000).toISOString();
   * console.log((await airdate.webhooks.recover(webhookId, { since: yesterday })).events);
   * ```
   */
  recover(
    id: string,
    body: BodyOf<'recoverWebhook'>,
    options?: CallOptions,
  ): Promise<DataOf<'recoverWebhook'>> {
    return this.client.data('POST', `${ONE}/recover`, { path: { id }, body, ...options });
  }

  /**
   * The log of its deliveries, newest first.
   * @example
   * ```ts
   * for await (const delivery of airdate.webhooks.deliveries(webhookId, { state: 'failed' }))
   *   console.log(delivery.id, delivery.attempts);
   * ```
   */
  deliveries(
    id: string,
    query: QueryOf<'listWebhookDeliveries'> = {},
    options?: CallOptions,
  ): List<WebhookDelivery> {
    return this.pages(`${ONE}/deliveries`, query, options, { path: { id } });
  }

  /**
   * Sends one delivery again.
   * @example
   * ```ts
   * await airdate.webhooks.replay(webhookId, deliveryId);
   * ```
   */
  replay(id: string, delivery_id: string, options?: CallOptions): Promise<WebhookDelivery> {
    const path = { id, delivery_id };
    return this.client.data('POST', `${ONE}/deliveries/{delivery_id}/replay`, { path, ...options });
  }
}
