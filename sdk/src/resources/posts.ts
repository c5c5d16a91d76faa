import type { CallOptions } from '../client/client.js';
import type { List } from '../client/pages.js';
import type { Asset, Attention, Post, PostCounts } from '../client/schemas.js';
import type { BodyOf, DataOf, QueryOf } from '../client/typed.js';
import type { UploadOptions } from '../upload/sending.js';
import type { FileSource } from '../upload/source.js';
import { Assets } from './assets.js';
import { Publishing } from './publishing.js';

/** When a post is to be published, and how. What is left out must be set already. */
export type Slot = Omit<BodyOf<'updatePost'>, 'status' | 'scheduled_at'> & { at: Date | string };

const ONE = '/api/v1/posts/{id}';

export class Posts extends Publishing {
  readonly assets: Assets = new Assets(this.client);

  /**
   * Posts, newest first unless sorted otherwise. Iterated, it reads a list of any length.
   * @example
   * ```ts
   * for await (const post of airdate.posts.list({ status: 'scheduled', sort: 'scheduled_at' }))
   *   console.log(post.scheduled_at, post.title);
   * ```
   */
  list(query: QueryOf<'listPosts'> = {}, options?: CallOptions): List<Post> {
    return this.pages('/api/v1/posts', query, options, { hasCursor: true });
  }

  /**
   * Creates a draft; with `status: 'scheduled'` a scheduled post.
   * @example
   * ```ts
   * const post = await airdate.posts.create({ title: 'Five ways to fold a map', caption: 'Number four is a surprise.' });
   * console.log(post.id, post.status); // … draft
   * ```
   */
  create(body: BodyOf<'createPost'>, options?: CallOptions): Promise<Post> {
    return this.client.data('POST', '/api/v1/posts', { body, ...options });
  }

  /**
   * One post.
   * @example
   * ```ts
   * const post = await airdate.posts.get(postId, { include: 'readiness' });
   * console.log(post.status, post.readiness);
   * ```
   */
  get(id: string, options: QueryOf<'getPost'> & CallOptions = {}): Promise<Post> {
    const { include, ...call } = options;
    return this.client.data('GET', ONE, { path: { id }, query: { include }, ...call });
  }

  /**
   * Changes a draft or a scheduled post. With `ifMatch`, only if it is still the one that you have read.
   * @example
   * ```ts
   * await airdate.posts.update(postId, { caption: 'Number five is a surprise.' });
   * ```
   */
  update(id: string, body: BodyOf<'updatePost'>, options?: CallOptions): Promise<Post> {
    return this.client.data('PATCH', ONE, { path: { id }, body, ...options });
  }

  /**
   * Deletes a draft or an archived post permanently, with its files.
   * @example
   * ```ts
   * await airdate.posts.delete(postId);
   * ```
   */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.client.request('DELETE', ONE, { path: { id }, ...options });
  }

  /**
   * Copies a post, with its files, into a new draft.
   * @example
   * ```ts
   * const copy = await airdate.posts.duplicate(postId);
   * console.log(copy.id !== postId);
   * ```
   */
  duplicate(id: string, options?: CallOptions): Promise<Post> {
    return this.client.data('POST', `${ONE}/duplicate`, { path: { id }, ...options });
  }

  /**
   * Books or moves the slot of a post.
   * @example
   * ```ts
   * const post = await airdate.posts.schedule(readyId, {
   *   at: new Date(Date.now() + 3_600_000),
   *   social_account_id: accountId,
   *   privacy_level: 'PUBLIC_TO_EVERYONE',
   * });
   * console.log(post.scheduled_at);
   * ```
   */
  schedule(id: string, { at, ...fields }: Slot, options?: CallOptions): Promise<Post> {
    const scheduled_at = typeof at === 'string' ? at : at.toISOString();
    return this.update(id, { ...fields, status: 'scheduled', scheduled_at }, options);
  }

  /**
   * Makes a scheduled post a draft again.
   * @example
   * ```ts
   * await airdate.posts.unschedule(scheduledId);
   * ```
   */
  unschedule(id: string, options?: CallOptions): Promise<Post> {
    return this.update(id, { status: 'draft' }, options);
  }

  /**
   * Archives posts, 50 at most; returns how many are archived now.
   * @example
   * ```ts
   * console.log(await airdate.posts.archive([postId])); // 1
   * ```
   */
  async archive(ids: string[], options?: CallOptions): Promise<number> {
    return (await this.#batch(ids, 'archive', options)).archived ?? 0;
  }

  /**
   * Takes posts out of the archive, 50 at most; returns how many.
   * @example
   * ```ts
   * await airdate.posts.archive([postId]);
   * console.log(await airdate.posts.unarchive([postId])); // 1
   * ```
   */
  async unarchive(ids: string[], options?: CallOptions): Promise<number> {
    return (await this.#batch(ids, 'unarchive', options)).unarchived ?? 0;
  }

  #batch(
    ids: string[],
    action: 'archive' | 'unarchive',
    options?: CallOptions,
  ): Promise<DataOf<'batchPosts'>> {
    return this.client.data('PATCH', '/api/v1/posts/batch', { body: { ids, action }, ...options });
  }

  /**
   * Schedules, moves, unschedules or deletes up to 100 posts. Each is changed or refused alone.
   * @example
   * ```ts
   * const results = await airdate.posts.bulk({ action: 'shift', ids: [scheduledId], days: 7 });
   * for (const { id, status, problem } of results) console.log(id, status, problem?.detail);
   * ```
   */
  bulk(body: BodyOf<'bulkPosts'>, options?: CallOptions): Promise<DataOf<'bulkPosts'>> {
    return this.client.data('POST', '/api/v1/posts/bulk', { body, ...options });
  }

  /**
   * How many posts there are in each status.
   * @example
   * ```ts
   * const { draft, scheduled } = await airdate.posts.counts();
   * console.log(draft, scheduled);
   * ```
   */
  counts(query: QueryOf<'countPosts'> = {}, options?: CallOptions): Promise<PostCounts> {
    return this.client.data('GET', '/api/v1/posts/counts', { query, ...options });
  }

  /**
   * What needs attention, one entry for each cause.
   * @example
   * ```ts
   * for await (const { message, post_ids } of airdate.posts.attention()) console.log(message, post_ids);
   * ```
   */
  attention(options?: CallOptions): List<Attention> {
    return this.onePage('/api/v1/attention', options);
  }

  /**
   * Creates a post from each line of a CSV file, or none; with `dry_run` it only lists the problems.
   * @example
   * ```ts
   * const csv = 'title,caption\nFive ways to fold a map,Number four is a surprise.\n';
   * const { problems } = await airdate.posts.import({ csv, dry_run: true });
   * if (problems.length === 0) await airdate.posts.import({ csv });
   * ```
   */
  import(body: BodyOf<'importPosts'>, options?: CallOptions): Promise<DataOf<'importPosts'>> {
    return this.client.data('POST', '/api/v1/posts/import', { body, ...options });
  }

  /**
   * All posts as a file, CSV or NDJSON. Read its body as a stream, or whole.
   * @example
   * ```ts
   * const file = await airdate.posts.export({ format: 'csv' });
   * console.log(await file.text());
   * ```
   */
  export(query: QueryOf<'exportPosts'> = {}, options?: CallOptions): Promise<Response> {
    return this.client.stream('/api/v1/posts/export', { query, accept: '*/*', ...options });
  }

  /**
   * Uploads a slide or the video of a post: a path, a `Blob` or `File`, bytes, or a stream. A video over 64 MB goes in parts, so
   * that a lost connection costs one part.
   * @example
   * ```ts
   * const asset = await airdate.posts.upload(postId, './cover.png', {
   *   onProgress: ({ sent, total }) => console.log(`${sent} of ${total} bytes`),
   * });
   * console.log(asset.object_key);
   * ```
   */
  async upload(id: string, file: FileSource, options?: UploadOptions): Promise<Asset> {
    // Loaded with the first upload: many programs never send a file.
    const { upload } = await import('../upload/upload.js');
    return upload(this.client, id, file, options);
  }
}
