import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { Label } from '../client/schemas.js';
import type { BodyOf, QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

export class Labels extends Resource {
  /**
   * Labels by name.
   * @example
   * ```ts
   * for await (const label of airdate.labels.list()) console.log(label.name, label.colour);
   * ```
   */
  list(query: QueryOf<'listLabels'> = {}, options?: CallOptions): List<Label> {
    return this.pages('/api/v1/labels', query, options);
  }

  /**
   * One label.
   * @example
   * ```ts
   * const { name } = await airdate.labels.get(labelId);
   * ```
   */
  get(id: string, options?: CallOptions): Promise<Label> {
    return this.client.data('GET', '/api/v1/labels/{id}', { path: { id }, ...options });
  }

  /**
   * Creates a label.
   * @example
   * ```ts
   * const label = await airdate.labels.create({ name: 'Campaign: maps', colour: 'teal' });
   * await airdate.posts.create({ title: 'Five ways to fold a map', labels: [label.id] });
   * ```
   */
  create(body: BodyOf<'createLabel'>, options?: CallOptions): Promise<Label> {
    return this.client.data('POST', '/api/v1/labels', { body, ...options });
  }

  /**
   * Renames a label, or changes its colour.
   * @example
   * ```ts
   * await airdate.labels.update(labelId, { colour: 'red' });
   * ```
   */
  update(id: string, body: BodyOf<'updateLabel'>, options?: CallOptions): Promise<Label> {
    return this.client.data('PATCH', '/api/v1/labels/{id}', { path: { id }, body, ...options });
  }

  /**
   * Deletes a label, and takes it from all posts.
   * @example
   * ```ts
   * await airdate.labels.delete(labelId);
   * ```
   */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', '/api/v1/labels/{id}', { path: { id }, ...options });
  }
}
