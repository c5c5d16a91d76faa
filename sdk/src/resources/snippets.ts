import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { Snippet } from '../client/schemas.js';
import type { BodyOf, QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

export class Snippets extends Resource {
  /**
   * Saved captions and groups of hashtags.
   * @example
   * ```ts
   * for await (const snippet of airdate.snippets.list({ kind: 'hashtags' })) console.log(snippet.text);
   * ```
   */
  list(query: QueryOf<'listSnippets'> = {}, options?: CallOptions): List<Snippet> {
    return this.pages('/api/v1/snippets', query, options);
  }

  /**
   * One snippet.
   * @example
   * ```ts
   * const { text } = await airdate.snippets.get(snippetId);
   * ```
   */
  get(id: string, options?: CallOptions): Promise<Snippet> {
    return this.client.data('GET', '/api/v1/snippets/{id}', { path: { id }, ...options });
  }

  /**
   * Saves a caption or a group of hashtags.
   * @example
   * ```ts
   * await airdate.snippets.create({ kind: 'hashtags', name: 'Outdoors', text: '#maps #hiking' });
   * ```
   */
  create(body: BodyOf<'createSnippet'>, options?: CallOptions): Promise<Snippet> {
    return this.client.data('POST', '/api/v1/snippets', { body, ...options });
  }

  /**
   * Changes a snippet.
   * @example
   * ```ts
   * await airdate.snippets.update(snippetId, { text: '#maps' });
   * ```
   */
  update(id: string, body: BodyOf<'updateSnippet'>, options?: CallOptions): Promise<Snippet> {
    return this.client.data('PATCH', '/api/v1/snippets/{id}', { path: { id }, body, ...options });
  }

  /**
   * Deletes a snippet.
   * @example
   * ```ts
   * await airdate.snippets.delete(snippetId);
   * ```
   */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', '/api/v1/snippets/{id}', { path: { id }, ...options });
  }
}
