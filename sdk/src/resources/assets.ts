import type { CallOptions } from '../client/client.js';
import type { Asset } from '../client/schemas.js';
import type { BodyOf, DataOf, Output } from '../client/typed.js';
import { Resource } from './resource.js';

const PATH = '/api/v1/posts/{id}/assets';

/** The files of a post: those that are uploaded, on their way, and rejected. */
export type AssetList = Output<'GET', typeof PATH>;

export class Assets extends Resource {
  /**
   * The files of a post, with URLs to download them.
   * @example
   * ```ts
   * const { data, rejected } = await airdate.posts.assets.list(readyId);
   * console.log(data.map(({ url }) => url), rejected);
   * ```
   */
  list(id: string, options?: CallOptions): Promise<AssetList> {
    return this.client.request('GET', PATH, { path: { id }, ...options });
  }

  /**
   * Puts the slides into another order: the keys of all of them.
   * @example
   * ```ts
   * const { data } = await airdate.posts.assets.list(readyId);
   * await airdate.posts.assets.order(readyId, data.map(({ object_key }) => object_key).reverse());
   * ```
   */
  order(id: string, order: string[], options?: CallOptions): Promise<AssetList> {
    return this.client.request('PATCH', PATH, { path: { id }, body: { order }, ...options });
  }

  /**
   * Removes a file.
   * @example
   * ```ts
   * const { data } = await airdate.posts.assets.list(readyId);
   * for (const { object_key } of data) await airdate.posts.assets.remove(readyId, object_key);
   * ```
   */
  remove(id: string, object_key: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', PATH, { path: { id }, query: { object_key }, ...options });
  }

  /**
   * Has the service fetch a file from an https address. It is in `pending` of the list until it is there.
   * @example
   * ```ts
   * const { filename } = await airdate.posts.assets.import(postId, { url: 'https://example.com/cover.png' });
   * console.log(filename); // cover.png
   * ```
   */
  import(id: string, body: BodyOf<'importAsset'>, options?: CallOptions): Promise<DataOf<'importAsset'>> {
    return this.client.data('POST', `${PATH}/import`, { path: { id }, body, ...options });
  }

  /**
   * Asks for the URL, or with `parts` the URLs, to send a file to. `posts.upload` does that and the rest.
   * @example
   * ```ts
   * const grant = await airdate.posts.assets.requestUpload(postId, { filename: 'cover.png', content_type: 'image/png' });
   * console.log(grant.object_key);
   * ```
   */
  requestUpload(
    id: string,
    body: BodyOf<'requestUpload'>,
    options?: CallOptions,
  ): Promise<Output<'POST', typeof PATH>> {
    return this.client.request('POST', PATH, { path: { id }, body, ...options });
  }

  /**
   * The finished asset after its file was sent, or the reason why it was rejected.
   * @example
   * ```ts
   * const { data } = await airdate.posts.assets.list(readyId);
   * for (const { object_key } of data) console.log(await airdate.posts.assets.complete(readyId, object_key));
   * ```
   */
  complete(id: string, object_key: string, options?: CallOptions): Promise<Asset> {
    return this.client.data('POST', `${PATH}/complete`, { path: { id }, body: { object_key }, ...options });
  }

  /**
   * Gives up an upload in parts, and frees its place.
   * @example
   * ```ts
   * const { pending } = await airdate.posts.assets.list(videoId);
   * for (const { upload_id } of pending) if (upload_id) await airdate.posts.assets.abort(videoId, upload_id);
   * ```
   */
  abort(id: string, upload_id: string, options?: CallOptions): Promise<void> {
    const path = { id, upload_id };
    return this.client.request('DELETE', '/api/v1/posts/{id}/uploads/{upload_id}', { path, ...options });
  }
}
