import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { Dispatch } from '../client/schemas.js';
import type { QueryOf } from '../client/typed.js';
import { Resource } from './resource.js';

export class Dispatches extends Resource {
  /**
   * Every attempt to publish, newest first.
   * @example
   * ```ts
   * for await (const dispatch of airdate.dispatches.list({ outcome: 'failed' }))
   *   console.log(dispatch.post_id, dispatch.error_message);
   * ```
   */
  list(query: QueryOf<'listDispatches'> = {}, options?: CallOptions): List<Dispatch> {
    return this.pages('/api/v1/dispatches', query, options);
  }

  /**
   * One attempt.
   * @example
   * ```ts
   * const dispatch = await airdate.dispatches.get(dispatchId);
   * console.log(dispatch.outcome);
   * ```
   */
  get(id: string, options?: CallOptions): Promise<Dispatch> {
    return this.client.data('GET', '/api/v1/dispatches/{id}', { path: { id }, ...options });
  }

  /**
   * All attempts as a file, CSV or NDJSON. Read its body as a stream, or whole.
   * @example
   * ```ts
   * const file = await airdate.dispatches.export({ format: 'ndjson' });
   * console.log(await file.text());
   * ```
   */
  export(query: QueryOf<'exportDispatches'> = {}, options?: CallOptions): Promise<Response> {
    return this.client.stream('/api/v1/dispatches/export', { query, accept: '*/*', ...options });
  }
}
