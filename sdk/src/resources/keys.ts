import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { ApiKey, ApiKeyDetails, NewApiKey } from '../client/schemas.js';
import type { BodyOf, QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

export class Keys extends Resource {
  /**
   * The organization's API keys, without their secrets.
   * @example
   * ```ts
   * for await (const key of airdate.keys.list()) console.log(key.name, key.last_used_at);
   * ```
   */
  list(query: QueryOf<'listKeys'> = {}, options?: CallOptions): List<ApiKey> {
    return this.pages('/api/v1/keys', query, options);
  }

  /**
   * One key, with what ends when it is revoked.
   * @example
   * ```ts
   * console.log((await airdate.keys.get(keyId)).scopes);
   * ```
   */
  get(id: string, options?: CallOptions): Promise<ApiKeyDetails> {
    return this.client.data('GET', '/api/v1/keys/{id}', { path: { id }, ...options });
  }

  /**
   * Creates a key. The key itself is only in this response.
   * @example
   * ```ts
   * const { key } = await airdate.keys.create({ name: 'Nightly import', scopes: ['posts:read', 'posts:write'] });
   * console.log(key.startsWith('ad_'));
   * ```
   */
  create(body: BodyOf<'createKey'>, options?: CallOptions): Promise<NewApiKey> {
    return this.client.data('POST', '/api/v1/keys', { body, ...options });
  }

  /**
   * Renames a key.
   * @example
   * ```ts
   * await airdate.keys.update(keyId, { name: 'Import of the evening' });
   * ```
   */
  update(id: string, body: BodyOf<'updateKey'>, options?: CallOptions): Promise<ApiKey> {
    return this.client.data('PATCH', '/api/v1/keys/{id}', { path: { id }, body, ...options });
  }

  /**
   * Revokes a key immediately.
   * @example
   * ```ts
   * await airdate.keys.revoke(keyId);
   * ```
   */
  revoke(id: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', '/api/v1/keys/{id}', { path: { id }, ...options });
  }
}
